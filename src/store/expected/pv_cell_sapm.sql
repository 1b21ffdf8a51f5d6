-- Cell temperature, degC. King et al., "Sandia photovoltaic array performance model" (2004).
CREATE OR REPLACE TEMP MACRO pv_cell_sapm(poa, ambient, wind, a, b, delta_t) AS
  ambient + poa * exp(a + b * wind) + poa / 1000.0 * delta_t;
