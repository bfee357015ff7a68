import type {
  Resigned,
  RetiredCertificate,
  ShownCertificate,
  ShownRotation,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";

/** Prints certificates, and what became of signatures. */
export const SIGNING_PRINTS = {
  "signing.list": printOf<{ readonly items: readonly ShownCertificate[] }>({
    text({ items }, place) {
      if (items.length === 0) place.stderr("Nothing was signed yet.");
      for (const certificate of items) printCertificate(certificate, place);
    },
  }),
  "signing.show": printOf<ShownCertificate>({ text: printCertificate }),
  "signing.rotate": printOf<ShownRotation>({
    text({ fingerprint, notes, resigned }, place) {
      place.stdout(fingerprint);
      for (const note of notes) place.stderr(note);
      if (resigned) printResigned(resigned, place);
    },
    code: ({ resigned }) => codeOf(resigned),
  }),
  "signing.resign": printOf<Resigned>({ text: printResigned, code: codeOf }),
  "signing.retire": printOf<RetiredCertificate>({
    text({ fingerprint, subject, outcome, resigned }, place) {
      if (resigned) printResigned(resigned, place);
      const words = {
        planned: `${subject} (${fingerprint}) would never sign again.`,
        unchanged: `${subject} was retired before.`,
        retired: `${subject} (${fingerprint}) never signs again, and is no longer listed.`,
        absent: `${subject} (${fingerprint}) is not on record.`,
      };
      place.stderr(words[outcome]);
    },
    code: ({ outcome }) => (outcome === "absent" ? 1 : 0),
  }),
};

function printCertificate(
  { fingerprint, state, versions: count, subject, ...times }: ShownCertificate,
  { stdout }: PrintPlace,
): void {
  const versions = `${count} ${count === 1 ? "version" : "versions"}`;
  stdout([fingerprint, state, versions, subject].join("  "));
  const [from, to] = [times.notBefore.slice(0, 10), times.notAfter.slice(0, 10)];
  const [first, last] = [minuteOf(times.firstUsedAt), minuteOf(times.lastUsedAt)];
  const signs = state === "prepared" ? `signs from ${first}` : `signed ${first} to ${last}`;
  stdout(`  valid ${from} to ${to}, ${signs}`);
}

const OUTCOMES = { planned: "would be signed", changed: "changed in between" };

function printResigned(report: Resigned, { stdout, stderr }: PrintPlace): void {
  const { dryRun, planned, signed, kept, failed, left, certificate, versions } = report;
  for (const { outcome, id, version, reason } of versions) {
    const word = outcome in OUTCOMES ? OUTCOMES[outcome as keyof typeof OUTCOMES] : outcome;
    stdout([word, id, version, ...(reason === undefined ? [] : [reason])].join("  "));
  }
  if (dryRun) {
    stderr(`Would be signed again with ${certificate}: ${planned}.`);
    return;
  }
  stderr(`Signed again with ${certificate}: ${signed}; unchanged: ${kept}; failed: ${failed}.`);
  if (left > 0) stderr(`Versions with another certificate's signature: ${left}.`);
}

function codeOf(resigned: Resigned | undefined): number {
  return resigned && resigned.failed > 0 ? 1 : 0;
}

function minuteOf(time: string): string {
  return `${time.slice(0, 16)}Z`;
}
