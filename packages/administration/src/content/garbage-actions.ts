import type { Candidate, Collected, GarbageReports, Surface } from "@sealhouse/oci-distribution";
import { z } from "zod";
import type { Asked } from "../action.ts";
import { defineAction } from "../action.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { optionalText, textField } from "../promotion/fields.ts";
import { absent, conflict } from "../refusal.ts";
import { shown } from "../shown.ts";
import type { Shown } from "../shown.ts";
import type { UpkeepSettings } from "./parts.ts";
import { counted, MORE, outputRows } from "./rows.ts";

const TOTALS = z.strictObject({ count: z.int(), bytes: z.int() });
const CANDIDATE = z.strictObject({
  kind: z.enum(["manifest", "link", "blob"]),
  position: z.int(),
  repository: z.string().optional(),
  digest: z.string(),
  size: z.int(),
  reason: z.enum(["untagged", "subject-gone", "unneeded", "unlinked"]),
  lastUsedAt: z.iso.datetime(),
});
const LIST = { list: z.array(CANDIDATE), more: MORE };

const RUN = z.union([
  z.strictObject({
    status: z.enum(["finished", "aborted", "stopped"]),
    id: z.string().describe("The id of its report."),
    surface: z.string(),
    segment: z.string().optional(),
    dryRun: z.boolean(),
    candidates: TOTALS,
    removed: TOTALS,
    links: z.int(),
    kept: z.int(),
    failed: z.int(),
    resumed: z.int(),
    error: z.string().optional(),
    ...LIST,
  }),
  z.strictObject({
    status: z.literal("busy"),
    surface: z.string(),
    heldUntil: z.iso.datetime().optional(),
    ...LIST,
  }),
]);
const RUNS = z
  .strictObject({ runs: z.array(RUN) })
  .meta({ id: "GarbageCollection", title: "Runs of the collection of garbage, by surface" });

/** A run of the collector as the API and commands show it. */
export type ShownCollection = z.output<typeof RUN>;

/** Characters of the id of a report, a UUID. */
const ID_MAX = 36;
const SURFACE = optionalText(
  200,
  "Surface",
  "Only this segment, or `default` for all other repositories.",
);
const COMMON = { scope: "storage:write", form: { page: "/administration/actions" } } as const;

const collect = defineAction({
  ...COMMON,
  id: "images.collect",
  summary: "delete manifests and blobs that no tag references",
  method: "POST",
  path: "/images/garbage-collections",
  command: "oci gc",
  input: z.strictObject({
    surface: SURFACE,
    report: optionalText(
      ID_MAX,
      "Report",
      "Only the entries of this report of a dry run. A dry run takes none.",
    ),
  }),
  output: RUNS,
  refusals: ["absent", "conflict", "invalid"],
  lasting: "delete-permanently",
  hasDryRun: true,
  isLong: true,
  hasLongDryRun: true,
  dryRunDefault: ({ upkeep }) => upkeep.settings().ociGarbage.dryRun,
  ending: ({ runs }) => ({
    title: "Delete garbage of images?",
    ends: runs.map((run) =>
      run.status === "busy"
        ? `${run.surface}: another run has not ended.`
        : `${run.surface}: ${counted(run.candidates.count, "manifest or blob")}, ` +
          `${run.candidates.bytes} bytes.`,
    ),
    button: "Delete the garbage",
  }),
  async run(asked) {
    const { input, parts, isDryRun } = asked;
    if (input.report !== undefined && isDryRun) {
      throw conflict(
        "--report limits what --apply removes; use `sealhouse oci report show` to show a report.",
      );
    }
    const { surfacesOf } = await import("@sealhouse/oci-distribution/settings");
    const settings = parts.upkeep.settings();
    const surfaces = selectedSurfaces(surfacesOf(settings.feed.oci), input);
    const runs: Shown<ShownCollection>[] = [];
    for (const surface of surfaces) runs.push(await collectOne(asked, settings, surface));
    return { runs };
  },
});

type CollectInput = { readonly surface?: string | undefined; readonly report?: string | undefined };

/** A surface that another run collects does not block the others. */
async function collectOne(
  { input, parts, signal, isDryRun, report: print }: Asked<CollectInput>,
  config: UpkeepSettings,
  surface: Surface,
): Promise<ShownCollection> {
  const { collectSurface } = await import("@sealhouse/oci-distribution");
  const { report: reviewed } = input;
  const garbage = await parts.upkeep.garbage();
  const collected: Collected = await collectSurface(
    { ...garbage, config },
    {
      surface,
      dryRun: isDryRun,
      signal,
      onFailure: (key, error) => print?.(`${key} could not be deleted: ${wordsOf(error)}`),
      ...(reviewed !== undefined && { reviewed }),
    },
  );
  if (collected.status === "refused") throw conflict(`${sentence(collected.reason)}.`);
  if (collected.status === "busy") return { ...shown(collected), surface: surface.name, list: [] };
  return shown({
    ...collected,
    surface: surface.name,
    ...(await listOf(garbage.catalog.reports, collected.id)),
  });
}

function selectedSurfaces(all: readonly Surface[], { surface, report }: CollectInput) {
  const surfaces = all.filter(({ name }) => surface === undefined || name === surface);
  const names = all.map(({ name }) => name).join(", ");
  if (all.length === 0) {
    throw conflict("The OCI registry is off: set Feed__Oci__Default__Enabled=true.");
  }
  if (surfaces.length === 0) {
    throw absent(`There is no surface ${surface}; use one of ${names}.`);
  }
  if (report !== undefined && surfaces.length > 1) {
    throw conflict(`A report has one surface: add --surface with one of ${names}.`);
  }
  return surfaces;
}

const REPORT = z.strictObject({
  id: z.string(),
  surface: z.string(),
  dryRun: z.boolean(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().optional(),
  reviewed: z.string().optional().describe("The report whose entries alone were deleted."),
  state: z.enum(["running", "finished", "aborted", "stopped"]),
  manifests: TOTALS,
  links: TOTALS,
  blobs: TOTALS,
  removed: TOTALS,
  error: z.string().optional(),
});

/** A report of the collector as the API and commands show it. */
export type ShownGarbageReport = z.output<typeof REPORT>;

const REPORTS_MAX = 20;

const listReports = defineAction({
  ...COMMON,
  id: "images.list-reports",
  summary: "list the reports of the last collections of garbage, newest first",
  method: "GET",
  path: "/images/garbage-reports",
  command: "oci report list",
  input: z.strictObject({ ...PAGE_FIELDS, surface: SURFACE }),
  output: pageSchema(REPORT),
  refusals: [],
  async run({ input, parts }) {
    const { reports } = (await parts.content()).oci.garbage;
    const all = (await reports.reports(REPORTS_MAX)).filter(
      ({ surface }) => input.surface === undefined || surface === input.surface,
    );
    const place = (at: number) => String(at).padStart(2, "0");
    const numbered = all.map((report, at) => ({ report, key: place(at) }));
    const { items, ...next } = pageOf(numbered, input, ({ key }) => key);
    return { items: items.map(({ report }) => shown(report)), ...next };
  },
});

const REPORT_WITH_LIST = REPORT.extend(LIST);

/** A report with its entries. */
export type ListedGarbageReport = z.output<typeof REPORT_WITH_LIST>;

const showReport = defineAction({
  ...COMMON,
  id: "images.show-report",
  summary: "show what a collection of garbage found",
  method: "GET",
  path: "/images/garbage-reports/{report}",
  command: "oci report show <report>",
  input: z.strictObject({ report: textField(ID_MAX, "Report", "The id of the report.") }),
  output: REPORT_WITH_LIST,
  refusals: ["absent"],
  async run({ input: { report: id }, parts }) {
    const { reports } = (await parts.content()).oci.garbage;
    const report = await reports.report(id);
    if (!report) throw absent(`There is no report ${id}.`);
    return { ...shown(report), ...shown(await listOf(reports, id)) };
  },
});

/** Manifests and blobs that no tag references. */
export const GARBAGE_ACTIONS = [collect, listReports, showReport];

const ROWS_AT_ONCE = 500;

/** The entries of a report. */
async function listOf(reports: GarbageReports, id: string) {
  const { rows, add, more } = outputRows<Candidate>();
  for (const kind of ["manifest", "link", "blob"] as const) {
    let after: Candidate | undefined;
    for (let size = ROWS_AT_ONCE; size === ROWS_AT_ONCE;) {
      const place = { kind, limit: ROWS_AT_ONCE, ...(after && { after }) };
      const page = await reports.candidates({ id }, place);
      for (const candidate of page) add(candidate);
      after = page.at(-1);
      size = page.length;
    }
  }
  return { list: rows, ...more() };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
