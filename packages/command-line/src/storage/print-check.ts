import type { ShownCheck } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace, Prints } from "../actions/print.ts";

/** Prints of the check. */
export const CHECK_PRINTS: Prints = {
  "storage.check": printOf<ShownCheck>({
    formerApply: "--repair",
    text(check, place) {
      const { stdout, stderr } = place;
      for (const finding of check.findings) stdout(lineOf(finding));
      for (const { name, size, modifiedAt } of check.leftovers.files) {
        stdout(["leftover", name, `${size} bytes`, `written ${modifiedAt}`].join("  "));
      }
      for (const line of linesOf(check, place)) stderr(line);
    },
    code: ({ sound }) => (sound ? 0 : 1),
  }),
};

function lineOf(finding: ShownCheck["findings"][number]): string {
  if (finding.type === "manifest") {
    return ["manifest", "oci", `${finding.repository}@${finding.digest}`].join("  ");
  }
  const { protocol, problem, digest, namedBy, repaired } = finding;
  const where = namedBy.length > 0 ? `in ${namedBy.join(", ")}` : "unused";
  return [problem, protocol, digest, where, ...(repaired ? ["repaired"] : [])].join("  ");
}

function linesOf(
  { protocols, manifests, orphans, leftovers }: ShownCheck,
  { input, isDryRun }: PrintPlace,
): readonly string[] {
  const isScrub = input["scrub"] === true;
  const files = `files of killed processes: ${leftovers.count}, ${leftovers.bytes} bytes.`;
  return [
    ...Object.entries(protocols).flatMap(([protocol, summary]) =>
      summary ? [summaryOf(protocol, summary, isScrub)] : [],
    ),
    ...(orphans ? orphanLines(orphans, isDryRun) : []),
    ...(isScrub && protocols.oci ? [`Image manifests read: ${manifests.read}.`] : []),
    isDryRun ? `Found ${files}` : `Deleted ${files}`,
  ];
}

type Summary = NonNullable<ShownCheck["protocols"]["oci"]>;

function summaryOf(protocol: string, summary: Summary, isScrub: boolean): string {
  const { named, stored, verified, damaged, restored } = summary;
  const isExact = named.bytes === stored.bytes && named.count === stored.count;
  const remark = isExact ? "" : " (differs from the database)";
  return [
    `${protocol}: ${named.count} blobs of ${named.bytes} bytes in the database`,
    `${stored.count} of ${stored.bytes} bytes stored${remark}`,
    ...(isScrub ? [`${verified.count} read and verified`] : []),
    `${damaged} damaged`,
    ...(restored > 0 ? [`${restored} restored`] : []),
  ].join(", ");
}

function orphanLines(
  { setAside, held, restored, deleted }: NonNullable<ShownCheck["orphans"]>,
  isDryRun: boolean,
): readonly string[] {
  const settled = `restored ${restored.count}, deleted ${deleted.count}`;
  return [
    isDryRun
      ? `Unreferenced image objects: ${setAside.count}, ${setAside.bytes} bytes.`
      : `Unreferenced image objects: moved to quarantine ${setAside.count}, ${settled}.`,
    `In quarantine: ${held.count} objects, ${held.bytes} bytes.`,
  ];
}
