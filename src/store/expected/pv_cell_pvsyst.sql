-- Cell temperature, degC, as PVsyst has it.
CREATE OR REPLACE TEMP MACRO pv_cell_pvsyst(
  poa, ambient, wind, u_c, u_v, module_efficiency, absorption
) AS
  ambient + poa * absorption * (1.0 - module_efficiency) / (u_c + u_v * wind);
