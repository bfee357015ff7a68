import { expect, test } from "vitest";
import type { Existing, SigningCase, SigningStep } from "./signing-step.ts";
import { signingStep } from "./signing-step.ts";

const EXISTING = ["none", "author", "unknown", "repository", "countersigned", "broken"] as const;
const ORIGINS = ["published", "mirrored"] as const;
const MODES = ["self-signed", "provided"] as const;

type Row = readonly [Existing, SigningStep, SigningStep, SigningStep, SigningStep];

const table: readonly Row[] = [
  // what it carries, ReSign upload, ReSign download, Reject upload, Reject download
  ["none", "sign", "sign", "sign", "sign"],
  ["author", "countersign", "countersign", "countersign", "countersign"],
  ["unknown", "countersign", "countersign", "countersign", "countersign"],
  ["repository", "strip-then-sign", "strip-then-sign", "refuse-signed", "leave-with-warning"],
  [
    "countersigned",
    "replace-countersignature",
    "replace-countersignature",
    "refuse-signed",
    "leave-with-warning",
  ],
  ["broken", "refuse-broken", "leave-with-warning", "refuse-broken", "leave-with-warning"],
];

function stepsOf(signingCase: Pick<SigningCase, "existing" | "signing" | "origin">): SigningStep[] {
  return [
    signingStep({ ...signingCase, policy: "ReSign", moment: "upload" }),
    signingStep({ ...signingCase, policy: "ReSign", moment: "download" }),
    signingStep({ ...signingCase, policy: "Reject", moment: "upload" }),
    signingStep({ ...signingCase, policy: "Reject", moment: "download" }),
  ];
}

test.each(table)("a package with the signature %s is handled by the table", (existing, ...row) => {
  for (const signing of MODES) {
    expect(stepsOf({ existing, signing, origin: "published" })).toEqual(row);
  }
});

test.each(table)(
  "policy never refuses a mirrored package with the signature %s",
  (existing, ...row) => {
    const expected = row.map((step) => (step === "refuse-signed" ? "leave-with-warning" : step));
    for (const signing of MODES) {
      expect(stepsOf({ existing, signing, origin: "mirrored" })).toEqual(expected);
    }
  },
);

test.each([
  // the policy of the source, whether it trusts the certificate, [repository, countersigned]
  ["Resign", false, ["strip-then-sign", "replace-countersignature"]],
  ["Resign", true, ["strip-then-sign", "replace-countersignature"]],
  ["Merge", false, ["keep", "keep"]],
  ["TrustedCerts", true, ["keep", "keep"]],
  ["TrustedCerts", false, ["strip-then-sign", "replace-countersignature"]],
] as const)(
  "the policy %s of a source (certificate trusted: %s) decides about its signatures: %j",
  (policy, isTrusted, steps) => {
    const mirror = { policy, isTrusted };
    for (const moment of ["upload", "download"] as const) {
      for (const feedPolicy of ["ReSign", "Reject"] as const) {
        const rest = { signing: "provided", origin: "mirrored", moment, mirror } as const;
        const step = (existing: Existing) => signingStep({ ...rest, existing, policy: feedPolicy });
        expect([step("repository"), step("countersigned")]).toEqual(steps);
        // What no repository has signed gets our signature.
        expect([step("none"), step("author")]).toEqual(["sign", "countersign"]);
      }
    }
  },
);

test("leaves every package unchanged with signing off", () => {
  for (const existing of EXISTING) {
    for (const origin of ORIGINS) {
      const steps = stepsOf({ existing, signing: "off", origin });
      expect(steps).toEqual(["leave", "leave", "leave", "leave"]);
    }
  }
});

test.each([
  // whose certificate, failure, promised, [upload, download]
  ["self-signed", "passing", false, ["leave-with-warning", "leave-with-warning"]],
  ["self-signed", "lasting", false, ["leave-with-warning", "leave-with-warning"]],
  ["self-signed", "lasting", true, ["leave-with-warning", "leave-with-warning"]],
  ["provided", "passing", false, ["refuse-for-now", "refuse-for-now"]],
  ["provided", "passing", true, ["refuse-for-now", "refuse-for-now"]],
  ["provided", "lasting", false, ["refuse", "leave-with-warning"]],
  ["provided", "lasting", true, ["refuse", "refuse"]],
] as const)(
  "when signing fails (certificate %s, %s, promised: %s) upload and download do: %j",
  (signing, failure, promisesAllSigned, steps) => {
    for (const existing of EXISTING) {
      for (const origin of ORIGINS) {
        const signingCase = { signing, failure, promisesAllSigned, existing, origin } as const;
        const signingSteps = (["upload", "download"] as const).map((moment) =>
          signingStep({ ...signingCase, policy: "ReSign", moment }),
        );
        expect(signingSteps).toEqual(steps);
      }
    }
  },
);
