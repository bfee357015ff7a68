import { parsePatterns, PROTOCOLS } from "@sealhouse/identity";
import type { Protocol } from "@sealhouse/request-types";
import type { ReleaseOutcome, ReserveOutcome } from "@sealhouse/upstream-sources";
import type { Hono } from "hono";
import { wordsIn } from "../kit/forms/posted-form.ts";
import type { FieldProblem, FormValues } from "../kit/forms/form-fields.ts";
import { releaseEnding } from "./administration-endings.ts";
import { NAMES } from "./administration-page.ts";
import { administratorForm, administratorPage } from "./administrator.ts";
import type { Administrator, LastingChange } from "./administrator.ts";
import type { AdministrationSources } from "./model.ts";
import { namesPageResponse } from "./names-page.ts";
import { EXPIRED } from "../kit/forms/form-fields.ts";

const CONFLICTS_TIMEOUT_MS = 60_000;
/** Columns of names have this length. */
const NAME_LENGTH_MAX = 255;

/** Adds the page of own, reserved and mirrored names. */
export function addNameRoutes(app: Hono, sources: AdministrationSources): void {
  app.get(NAMES, (c) =>
    administratorPage(sources, c, (administrator) => namesPageResponse(administrator, {})),
  );
  for (const action of ["reserve", "release"] as const) {
    app.post(`${NAMES}/${action}`, (c) =>
      administratorForm(
        sources,
        { c, path: NAMES, lasting: lastingOf(sources, action) },
        (administrator, { values, isExpired }) => {
          if (isExpired) return namesPageResponse(administrator, { values, problems: [EXPIRED] });
          return changedName(sources, administrator, { action, values });
        },
      ),
    );
  }
  app.post(`${NAMES}/conflicts`, (c) =>
    administratorForm(sources, { c, path: NAMES }, (administrator, { values, isExpired }) => {
      if (isExpired) return namesPageResponse(administrator, { values, problems: [EXPIRED] });
      return foundConflicts(sources, administrator, values);
    }),
  );
}

function lastingOf(sources: AdministrationSources, action: "reserve" | "release"): LastingChange {
  return {
    action: "change-reservations",
    subject: (values) => `${action} ${wordsIn(values, "protocol")} ${wordsIn(values, "name")}`,
    backPath: NAMES,
    ...(action === "release" && {
      ending: (values: URLSearchParams) => releaseEnding(sources, values),
    }),
  };
}

async function changedName(
  { names }: AdministrationSources,
  administrator: Administrator,
  { action, values }: { readonly action: "reserve" | "release"; readonly values: FormValues },
): Promise<Response> {
  const { caller } = administrator;
  const protocol = protocolIn(values.get("protocol"));
  const name = nameIn(values.get("name"));
  const problems: readonly FieldProblem[] = [
    ...(protocol ? [] : [{ name: "protocol", words: "is not a protocol" }]),
    ...(name === undefined ? [{ name: "name", words: "must be one name or pattern" }] : []),
  ];
  if (!protocol || name === undefined) {
    return namesPageResponse(administrator, { values, problems });
  }
  const outcome =
    action === "reserve"
      ? reservationText(name, await names.reserve(protocol, name, caller))
      : releaseText(name, await names.release(protocol, name, caller));
  if ("notice" in outcome) return namesPageResponse(administrator, outcome);
  const problem = { name: "name", words: outcome.problem };
  return namesPageResponse(administrator, { values, problems: [problem] });
}

type NameOutcome = { readonly notice: string } | { readonly problem: string };

function reservationText(name: string, outcome: ReserveOutcome): NameOutcome {
  switch (outcome.status) {
    case "mirrored":
      return { problem: `is mirrored from ${outcome.source}; to publish it here, release it` };
    case "own":
      return { notice: `${name} is an own name already.` };
    case "repeated":
      return { notice: `${name} was reserved before.` };
    case "reserved":
      return { notice: `${name} is reserved: no source is asked for it.` };
  }
}

function releaseText(name: string, outcome: ReleaseOutcome): NameOutcome {
  switch (outcome.status) {
    case "absent":
      return { problem: "is neither mirrored nor reserved" };
    case "own":
      return { notice: `${name} is an own name already.` };
    case "ended":
      return { notice: `${name} is no longer reserved.` };
    case "released": {
      const { source } = outcome;
      const now = `${name} is an own name now: it can be published.`;
      return { notice: `${now} ${source} is no longer asked for it. Fetched versions stay.` };
    }
  }
}

async function foundConflicts(
  { sources }: AdministrationSources,
  administrator: Administrator,
  values: FormValues,
): Promise<Response> {
  const refused = (words: string) =>
    namesPageResponse(administrator, { values, problems: [{ name: "conflicts", words }] });
  const protocol = protocolIn(values.get("conflicts"));
  if (!protocol) return refused("is not a protocol");
  const signal = AbortSignal.timeout(CONFLICTS_TIMEOUT_MS);
  try {
    const report = await sources.conflicts(protocol, signal);
    return await namesPageResponse(administrator, { values, report });
  } catch (error) {
    if (!signal.aborted) throw error;
    const { command } = administrator.site;
    return refused(`has too many names for a page; run ${command} source conflicts`);
  }
}

function protocolIn(text: string | null): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol === text);
}

function nameIn(text: string | null): string | undefined {
  try {
    const [only, ...others] = parsePatterns(text ?? "");
    return others.length > 0 || (only?.length ?? 0) > NAME_LENGTH_MAX ? undefined : only;
  } catch {
    return undefined;
  }
}
