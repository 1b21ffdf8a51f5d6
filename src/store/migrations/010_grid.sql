-- Meters and the system are expected to read their storage, too, and setpoints are shared across
-- levels and void from their first contradicted minute: where there is storage or a setpoint, the
-- powers and energies of its site are worked out anew.
INSERT INTO stale
SELECT DISTINCT s.tag_no, q.quarter // 96
FROM quarter AS q
JOIN sensor AS s USING (sensor_no)
WHERE s.measure IN ('active_power', 'energy', 'active_energy_delivered', 'energy_export')
  AND s.component NOT LIKE 'bess%'
  AND s.site_no IN (
    SELECT site_no
    FROM sensor
    WHERE component LIKE 'bess%'
      OR measure IN (
        'active_power_setpoint', 'active_power_setpoint_local', 'active_power_setpoint_remote',
        'active_power_setpoint_ac_pct', 'active_power_setpoint_dc_pct'
      )
    UNION
    SELECT site_no
    FROM device
    WHERE type LIKE 'bess%'
  );
