import { expect, test } from "vitest";
import type { Existing, SigningStep } from "./signing-step.ts";
import { signingStep } from "./signing-step.ts";

type Row = [Existing, SigningStep, SigningStep, SigningStep, SigningStep];

const table: Row[] = [
  // what it carries, ReSign upload, ReSign download, Reject upload, Reject download
  ["none", "sign", "sign", "sign", "sign"],
  ["author", "countersign", "countersign", "countersign", "countersign"],
  ["unknown", "countersign", "countersign", "countersign", "countersign"],
  ["repository", "strip-then-sign", "strip-then-sign", "refuse-signed", "serve-as-is"],
  [
    "countersigned",
    "replace-countersignature",
    "replace-countersignature",
    "refuse-signed",
    "serve-as-is",
  ],
  ["broken", "refuse-broken", "serve-as-is", "refuse-broken", "serve-as-is"],
];

test.each(table)(
  "a package with the signature %s is handled by the table",
  (existing, ...steps) => {
    expect([
      signingStep(existing, "ReSign", "upload"),
      signingStep(existing, "ReSign", "download"),
      signingStep(existing, "Reject", "upload"),
      signingStep(existing, "Reject", "download"),
    ]).toEqual(steps);
  },
);
