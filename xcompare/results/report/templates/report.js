"use strict";
(() => {
  const table = document.getElementById("heat");
  const body = table.tBodies[0];
  const views = [...document.querySelectorAll("[data-view]")];
  const orders = [...document.querySelectorAll("[data-order]")];
  const methods = [...table.querySelectorAll("[data-column]")];
  const readout = document.getElementById("readout");
  const press = (buttons, chosen) =>
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button === chosen)));

  // Switch the view. Colours show the importance, or the spread in the sd view.
  const show = (button) => {
    const view = button.dataset.view;
    for (const cell of body.querySelectorAll("td")) {
      const level = view === "sd" ? cell.dataset.sdlevel : cell.dataset.level;
      cell.textContent = cell.dataset[view];
      cell.className = level === "" ? "" : "s" + level;
    }
    document.querySelector("[data-low]").textContent = view === "sd" ? "steady" : "less important";
    document.querySelector("[data-high]").textContent = view === "sd" ? "varies" : "more";
    press(views, button);
  };

  const arrange = (key) => body.append(...[...body.rows].sort((a, b) => key(a) - key(b)));
  const mark = (chosen, direction) =>
    methods.forEach((button) =>
      button.parentElement.setAttribute("aria-sort", button === chosen ? direction : "none"));

  const order = (button) => {
    arrange((row) => Number(row.dataset[button.dataset.order]));
    press(orders, button);
    mark(null);
  };

  // Sort by a method: most important first; a second click reverses the order.
  const sortBy = (button) => {
    const down = button.parentElement.getAttribute("aria-sort") === "descending";
    const sign = down ? 1 : -1;
    arrange((row) => {
      const key = row.cells[Number(button.dataset.column) + 1].dataset.key;
      return key === "" ? Infinity : sign * Number(key);
    });
    press(orders, null);
    mark(button, down ? "ascending" : "descending");
  };

  views.forEach((button) => button.addEventListener("click", () => show(button)));
  orders.forEach((button) => button.addEventListener("click", () => order(button)));
  methods.forEach((button) => button.addEventListener("click", () => sortBy(button)));
  // On touch screens, a tap shows the tooltip.
  body.addEventListener("click", (event) => {
    const said = event.target.closest("[title]");
    if (said) readout.textContent = said.title;
  });
})();
