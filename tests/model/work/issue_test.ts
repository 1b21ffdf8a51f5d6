// The life of an issue: every change of status, with its reason; merges.
import assert from "node:assert/strict";
import {
  isActive,
  type Issue,
  issue_statuses,
  type IssueStatus,
  issueStep,
  mergeStep,
} from "../../../src/model/work/issue.ts";
import { issueOf } from "../../help/work.ts";

/** What every status (first) makes of a change to another: `ok`, `same`, or the reason's start. */
const steps: Record<IssueStatus, Record<IssueStatus, string>> = {
  open: {
    open: "same",
    in_progress: "ok",
    on_hold: "ok",
    resolved: "ok",
    closed: "it is not resolved",
    merged: "it becomes merged by a merge",
  },
  in_progress: {
    open: "ok",
    in_progress: "same",
    on_hold: "ok",
    resolved: "ok",
    closed: "it is not resolved",
    merged: "it becomes merged by a merge",
  },
  on_hold: {
    open: "ok",
    in_progress: "ok",
    on_hold: "same",
    resolved: "ok",
    closed: "it is not resolved",
    merged: "it becomes merged by a merge",
  },
  resolved: {
    open: "ok",
    in_progress: "it is resolved: open it again",
    on_hold: "it is resolved: open it again",
    resolved: "same",
    closed: "ok",
    merged: "it becomes merged by a merge",
  },
  closed: {
    open: "it is closed",
    in_progress: "it is closed",
    on_hold: "it is closed",
    resolved: "it is closed",
    closed: "same",
    merged: "it is closed",
  },
  merged: {
    open: "it was merged",
    in_progress: "it was merged",
    on_hold: "it was merged",
    resolved: "it was merged",
    closed: "it was merged",
    merged: "same",
  },
};

for (const from of issue_statuses) {
  Deno.test(`an issue that is ${from} goes where it may, and says why not elsewhere`, () => {
    for (const to of issue_statuses) {
      const step = issueStep(issueOf({ status: from }), { to, at_us: 7 });
      const came = "refused" in step ? step.refused : "issue" in step ? "ok" : "same";
      assert.ok(came.startsWith(steps[from][to]), `${from} to ${to}: ${came}`);
      if ("issue" in step) assert.equal(step.issue.status, to);
    }
  });
}

Deno.test("an issue is resolved from its resolving on, closed too, until it is open again", () => {
  let issue = issueOf();
  const go = (to: IssueStatus, at_us: number) => {
    const step = issueStep(issue, { to, at_us });
    assert.ok("issue" in step);
    issue = step.issue;
    return issue.resolved_at;
  };
  assert.equal(go("in_progress", 5), null);
  assert.equal(go("resolved", 6), 6);
  assert.equal(go("open", 7), null);
  assert.equal(go("resolved", 8), 8);
  assert.equal(go("closed", 9), 8);
});

Deno.test("active issues are merged into an active one, whatever they are", () => {
  const survivor = issueOf({ issue_no: 9, status: "in_progress" });
  const step = mergeStep(survivor, [issueOf(), issueOf({ issue_no: 2, status: "on_hold" })]);
  assert.ok("merged" in step);
  assert.deepEqual(
    step.merged.map(({ issue_no, status, merged_into }) => [issue_no, status, merged_into]),
    [[1, "merged", 9], [2, "merged", 9]],
  );
});

type Merge = readonly [Issue, readonly Issue[]];
const merges: readonly (readonly [string, Merge, string])[] = [
  ["into itself", [issueOf(), [issueOf()]], "an issue is not merged into itself"],
  [
    "across projects",
    [issueOf(), [issueOf({ issue_no: 2, project_no: 2 })]],
    "it is another project's",
  ],
  ["twice", [issueOf(), [issueOf({ issue_no: 2 }), issueOf({ issue_no: 2 })]], "it is named twice"],
  ...issue_statuses.filter((status) => !isActive({ status })).flatMap((status) => (
    [
      [
        `of a ${status} one`,
        [issueOf(), [issueOf({ issue_no: 2, status })]],
        `it is ${status}: only an active issue is merged`,
      ],
      [
        `into a ${status} one`,
        [issueOf({ status }), [issueOf({ issue_no: 2 })]],
        `it is ${status}: nothing is merged into it`,
      ],
    ] as const
  )),
];

for (const [name, [survivor, issues], reason] of merges) {
  Deno.test(`a merge ${name} is refused`, () => {
    const step = mergeStep(survivor, issues);
    assert.ok("refused" in step);
    assert.equal(step.refused, reason);
  });
}
