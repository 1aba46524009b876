// Search from a folder, without a server: browsers start no worker from a file, so the search runs in a hidden frame.
// The offline plugin asks for such a script, and would fetch one from elsewhere if this were not here.
class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    const inside = frame.contentWindow;
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    const script = inside.document.createElement("script");
    script.src = url;
    const loaded = new Promise((done) => script.addEventListener("load", done));
    inside.document.body.append(script);
    this.postMessage = (data) => loaded.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
    this.terminate = () => frame.remove();
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;
