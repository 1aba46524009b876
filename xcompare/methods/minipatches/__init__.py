"""Methods that cluster minipatches, random subsets of rows and features: Cluster LOCO, RAMPART, IMPACC."""
