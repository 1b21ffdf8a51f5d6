// The texts of the monthly report in Spanish.
import type { report_en } from "../en/report.ts";

export const report_es: typeof report_en = {
  title: "Informe mensual",
  month: "Mes",
  earlier: "Anterior",
  later: "Siguiente",
  print: "Imprimir o guardar como PDF",
  not_whole: "Este mes no ha terminado: el informe tiene los días que sí.",
  plant_inverters: (count, power) => `${count} inversores con ${power} CA`,
  plant_dc: (power) => `${power} CC`,
  plant_storage: (energy) => `almacenamiento de ${energy}`,
  made: (instant) => `Hecho el ${instant}`,
  made_for: (instant) => `Hecho con lo conocido el ${instant}`,
  expected: "Energía esperada",
  produced: "Energía producida",
  availability: "Disponibilidad",
  known: (percent) => `${percent} de los estados conocidos`,
  no_account: "No hay cuenta de pérdidas para este mes. Elija otro, o vea en Datos lo que falta.",
  account: "Adónde fue la energía",
  of_expected: "De lo esperado",
  by_day_short: "días",
  by_day: "Energía esperada por día y en qué se convirtió",
  day_of: (produced, expected, unit) => `${produced} de ${expected} ${unit} producidos`,
  worst: "Inversores con mayor parte perdida",
  inverter: "Inversor",
  lost: "Perdida",
  lost_to: "Perdida por",
  others: (count) => `otros ${count}`,
  total: "Total",
  alarms: "Alarmas",
  no_alarms: (site) => `${site}: no se anunció ninguna alarma.`,
  alarms_of: (site, count) =>
    `${site}: ${count} ${count === "1" ? "alarma" : "alarmas"}, por prioridad`,
  alarm_rate: (average, peak) => `${average} cada diez minutos de media, ${peak} como máximo`,
  floods: (count) => `avalanchas: ${count}`,
  stale: (count) => `activas más de un día al final: ${count}`,
  median_clear: (span) => `la mitad se despejó en ${span}`,
  work: "Trabajo",
  no_work: "No se resolvió ni quedó abierta ninguna incidencia, ni se completó ninguna orden.",
  issue: "Incidencia",
  resolved: "Resuelta",
  entered: (date) => `anotada el ${date}`,
  still_open: "abierta al final",
  cost: "Coste del fallo",
  order: "Orden de trabajo completada",
  completed: "El",
  data: "Datos: lo medido y lo que falta",
  data_measured: (percent) =>
    `En el ${percent} de la luz del día se conocen la energía medida y la esperada.`,
  data_states: (percent) =>
    `En el ${percent} de la capacidad y la luz del día se conoce el estado de los inversores.`,
  data_days: (with_account, days) =>
    `${with_account} de ${days} días tienen cuenta de pérdidas; los demás no están en ` +
    "ninguna suma.",
  data_poor: (days, percent) => `En ${days} días se midió menos del ${percent} de la luz del día.`,
  data_partial_all: "A todos los inversores les falta la cuenta de al menos un día.",
  data_partial: (names) => `Sin cuenta en al menos un día: ${names}.`,
  data_unmeasured: (energy) =>
    `Se esperaban ${energy} mientras nada dice lo que se produjo; no están en ninguna suma.`,
  definitions: "Qué significan las cifras",
  define_expected:
    "Esperada: lo que los módulos podían entregar con luz según el modelo, antes del límite " +
    "nominal de los inversores, en el tiempo en que se conoce lo producido.",
  define_produced: "Producida: lo que los inversores entregaron con luz.",
  define_index:
    "Índice emparejado: energía medida entre esperada, contando las consignas, en los " +
    "minutos en que se conocen ambas.",
  define_coverage: "Luz medida: la parte de la luz del día en que se conocen ambas.",
  define_availability:
    "Disponibilidad: por tiempo y capacidad, según IEC TS 63019; de la capacidad por horas " +
    "de luz con estado conocido, la parte que no estuvo fuera por fallo, reparación, " +
    "mantenimiento o suspensión.",
  define_known:
    "Estados conocidos: la parte de la capacidad por horas de luz cuyo estado se conoce.",
  define_unavailability:
    "No disponible: energía esperada del tiempo en que un inversor no estuvo disponible.",
  define_grid:
    "Fallo de red: energía esperada del tiempo en que la red estuvo fuera de especificación.",
  define_curtailment:
    "Limitada por consigna: lo que las consignas quitaron a inversores disponibles.",
  define_clipping:
    "Recortada (clipping): energía de los módulos por encima de la potencia nominal de los " +
    "inversores.",
  define_derate:
    "Reducida: lo que un inversor produjo de menos que sus pares, o según su propio estado.",
  define_dc: "Lado CC: fallos del lado CC, y strings muy por debajo de los demás.",
  define_declared: "Nieve y suciedad: como las declaró un operador.",
  define_other: "Otras: el resto de las pérdidas; nada dice por qué.",
  define_cost:
    "Coste de un fallo: lo que perdieron los equipos de una incidencia mientras duró, dentro " +
    "del mes, sin consignas ni límite nominal.",
  define_rounding:
    "Todas las energías se redondean al mismo decimal; lo que deja el redondeo va a los " +
    "mayores restos, para que las partes den sus sumas.",
};
