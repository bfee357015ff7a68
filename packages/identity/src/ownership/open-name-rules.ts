import type { NameRules } from "./name-rules.ts";
import { reportRefusals } from "./report-refusals.ts";
import type { ReportParts } from "./report-refusals.ts";

/** Returns how owners decide about requests; undefined when they do not. */
export function openNameRules({
  access: { owners: mode, newNames },
  ownerships,
  ...parts
}: ReportParts &
  Pick<NameRules, "ownerships"> & {
    readonly access: {
      readonly owners: NameRules["mode"] | "off";
      readonly newNames: NameRules["newNames"];
    };
  }): NameRules | undefined {
  if (mode === "off") return undefined;
  return { mode, newNames, ownerships, report: reportRefusals(parts) };
}
