import type { ClientTrust, NamedRoots, VerificationReport } from "@sealhouse/repo-signing";
import type { Command } from "../command.ts";

const PROGRESS_EVERY_MS = 5_000;

/** Prints reports as they come, so that memory does not grow with their number. */
export function createOutput(
  { stdout, stderr }: Command,
  { json, all }: { readonly json?: true; readonly all?: true },
): { add(report: VerificationReport): void; end(): number } {
  const count = { valid: 0, invalid: 0 };
  const warnings = new Map<string, number>();
  let previous: string | undefined;
  let summaryAt = performance.now();
  const summary = () => {
    const { valid, invalid } = count;
    const warned = warnings.size > 0 ? ` Warnings: ${countsOf(warnings)}.` : "";
    return `Verified ${valid + invalid}: ${valid} valid, ${invalid} not.${warned}`;
  };
  const flush = (end: string) => {
    if (previous !== undefined) stdout(`${previous}${end}`);
    previous = undefined;
  };
  if (json) stdout("[");
  return {
    add(report) {
      count[report.valid ? "valid" : "invalid"] += 1;
      for (const { code } of report.warnings) warnings.set(code, (warnings.get(code) ?? 0) + 1);
      if (json) {
        flush(",");
        previous = JSON.stringify(report);
      } else if (!all || !report.valid) stdout(textOf(report));
      if (!all || performance.now() - summaryAt < PROGRESS_EVERY_MS) return;
      summaryAt = performance.now();
      stderr(summary());
    },
    end() {
      flush("");
      if (json) stdout("]");
      if (all || !json) stderr(summary());
      return count.invalid > 0 ? 1 : 0;
    },
  };
}

/** `NU3027 (12), NU3018 (1)` */
function countsOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([code, count]) => `${code} (${count})`).join(", ");
}

/** One line for the package, and one for each problem. */
function textOf(report: VerificationReport): string {
  const { file, valid, signatureType, signer, timestamp, countersigner, errors, warnings } = report;
  const facts = [
    valid ? "valid  " : "INVALID",
    file,
    ...(signatureType === null || signatureType === "none" ? [] : [signatureType]),
    ...(signer?.subject === null || signer === null ? [] : [signer.subject]),
    ...(timestamp ? [`timestamped ${timestamp.time.toISOString()}`] : []),
    ...(countersigner ? [`countersigned by ${countersigner.subject ?? "an unknown signer"}`] : []),
  ];
  return [
    facts.join("  "),
    ...errors.map(({ code, message }) => `  error ${code}: ${message}`),
    ...warnings.map(({ code, message }) => `  warning ${code}: ${message}`),
  ].join("\n");
}

/** Prints which roots are trusted for package files. */
export function trustText(
  { roots, timestampRoots }: NamedRoots,
  client: ClientTrust | undefined,
): string {
  if (roots && timestampRoots) return "Trusted are the roots that were named.";
  const isForSignatures = roots === undefined;
  const rootsNote = isForSignatures ? "" : "Trusted are the roots that were named. ";
  if (client) {
    const files = isForSignatures ? client.files : client.files.slice(1);
    const what = isForSignatures ? "Trusted" : "Trusted for timestamps as well";
    return `${rootsNote}${what} are the roots in ${files.join(" and ")}.`;
  }
  if (!isForSignatures) return rootsNote.trimEnd();
  return "No .NET SDK is on the PATH, so no root is trusted: name some with --trust.";
}
