-- DC power at the modules, W. Dobos, "PVWatts version 5 manual", NREL/TP-6A20-62641 (2014).
CREATE OR REPLACE TEMP MACRO pv_dc(poa, cell, pdc0, gamma) AS
  poa / 1000.0 * pdc0 * (1.0 + gamma * (cell - 25.0));
