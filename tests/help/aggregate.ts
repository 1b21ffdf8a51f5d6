// The OPC Foundation's examples of aggregates: historians, tables, and the rows that differ here.
// Editions: `tester` is the data of its Aggregate Tester; `1.05.07` its AggregateExamples.csv of
// that release, by a public copy; `1.05` the tester's with the last interval cut at the end of
// data, whose figures are those of node-opcua's tests.
import examples from "../vectors/aggregates.json" with { type: "json" };

export { examples };
export type ExampleTable = typeof examples.tables[number];

const slopes = Array.from({ length: 18 }, (_, i) => `TimeAverage Historian3 1.05.07 ${5 * i}`);

/** What differs from the published rows, by the clause that says why. */
export const differing: Readonly<Record<string, readonly string[]>> = {
  "4.2.1.2: a server chooses UseSlopedExtrapolation; here the last value holds": [
    "Interpolative Historian2 1.05.07 95",
    "TimeAverage Historian2 1.05.07 90",
  ],
  "5.4.3.6: TimeAverage always slopes; here a state holds, as in the tester's edition": slopes,
  "5.4.3.2.1: a value is kept back when its status is Bad; here 0 stands beside bad_count": [
    "Count Historian1 1.05.07 32",
  ],
  "5.4.3.31: the first region has the status of the data point before it, in the text; in the \
table that of the simple bound (3.1.9), uncertain before a sample that is not good": [
    "DurationGood Historian1 1.05 32",
    "DurationGood Historian1 1.05 64",
    "PercentGood Historian1 1.05 32",
    "PercentGood Historian1 1.05 64",
  ],
  "5.4.3.24: the first non-bad value (80) is compared with the one before the interval (70)": [
    "NumberOfTransitions Historian1 tester 80",
  ],
  "4.2.1.2: half bad is Bad by PercentDataBad = 50, which is not configured here": [
    "NumberOfTransitions Historian3 tester 32",
  ],
};
