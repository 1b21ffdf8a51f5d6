-- Cell temperature, degC. Faiman, Progress in Photovoltaics 16 (2008), 307-315.
CREATE OR REPLACE TEMP MACRO pv_cell_faiman(poa, ambient, wind, u0, u1) AS
  ambient + poa / (u0 + u1 * wind);
