import { unreadable } from "@sealhouse/administration";
import type {
  AddedSource,
  RemovedSource,
  ShownConflicts,
  ShownListedSource,
  ShownNameOutcome,
  ShownProbe,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { PrintPlace } from "../actions/print.ts";

type Listed = { readonly items: readonly ShownListedSource[]; readonly isMirrorEnabled: boolean };

const switched = (state: string) =>
  printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) => stderr(`${name} is ${state}. Hosts follow within seconds.`),
  });

/** Prints package sources and names. */
export const SOURCE_PRINTS = {
  "sources.add": printOf<AddedSource>({
    text({ source: { name }, warning, unused, isMirrorEnabled }, { stderr }) {
      if (warning !== undefined) stderr(warning);
      stderr(`Added the source ${name}. Hosts use it within seconds.`);
      stderr(`To test it: sealhouse source test ${name}`);
      if (unused.length > 0) {
        const names = unused.join(", ");
        stderr(`Sources of the settings are no longer used: ${names}. Add them as well.`);
      }
      if (!isMirrorEnabled) stderr("No source is used while Mirror__Enabled is false.");
    },
    json: ({ source }) => source,
  }),
  "sources.list": printOf<Listed>({
    text(listed, { stdout, stderr }) {
      for (const { name, isUnreadable } of listed.items) if (isUnreadable) stderr(unreadable(name));
      for (const source of listed.items) stdout(lineOf(source));
      if (listed.items.length === 0) stderr("There are no sources: sealhouse source add");
      if (!listed.isMirrorEnabled) stderr("No source is used: Mirror__Enabled is false.");
    },
  }),
  "sources.show": printOf<ShownListedSource>({
    text: (source, { stdout }) => stdout(lineOf(source)),
  }),
  "sources.enable": switched("enabled"),
  "sources.disable": switched("disabled"),
  "sources.remove": printOf<RemovedSource>({
    text({ name, used }, { stderr }) {
      stderr(`Removed the source ${name}. Packages that were fetched from it stay.`);
      if (used.length === 0) return;
      const names = used.join(", ");
      stderr(`The database has no sources now. Those of the settings are used: ${names}.`);
    },
  }),
  "sources.test": printOf<ShownProbe>({
    text: printProbe,
    json: ({ isEnabled: _, ...report }) => report,
    code: ({ outcome }) => (outcome === "works" ? 0 : 1),
  }),
  "sources.conflicts": printOf<ShownConflicts>({
    text: printConflicts,
    code: ({ items }) => (items.every(isGood) ? 0 : 1),
  }),
  "sources.release-name": printOf<ShownNameOutcome>({
    text: (outcome, { stderr }) => stderr(wordsOf(outcome)),
  }),
  "sources.reserve-name": printOf<ShownNameOutcome>({
    text: (outcome, { stderr }) => stderr(wordsOf(outcome)),
  }),
};

function wordsOf({ name, status, source = "" }: ShownNameOutcome): string {
  switch (status) {
    case "own":
      return `${name} is an own name already.`;
    case "ended":
      return `${name} is no longer reserved.`;
    case "released":
      return (
        `${name} is an own name now: it can be published. ${source} is no longer asked ` +
        "for it. Fetched versions stay."
      );
    case "repeated":
      return `${name} was reserved before.`;
    case "reserved":
      return `${name} is reserved: no source is asked for it.`;
  }
}

function isGood({ conflicts, failures }: ShownConflicts["items"][number]): boolean {
  return conflicts.length + Object.keys(failures).length === 0;
}

function printConflicts({ items }: ShownConflicts, { stdout, stderr }: PrintPlace): void {
  for (const { protocol, names, conflicts, failures } of items) {
    for (const { name, source } of conflicts) stdout([protocol, name, source].join("  "));
    for (const [source, reason] of Object.entries(failures)) {
      stderr(`${source} could not be asked for all names: ${reason}`);
    }
    stderr(`${protocol}: ${conflicts.length} of ${names} own names exist at a source.`);
  }
}

function printProbe(report: ShownProbe, { stdout, stderr }: PrintPlace): void {
  const { name, isEnabled, outcome, status, durationMs, capabilities, problem } = report;
  const answer = status === undefined ? "no answer" : `status ${status}`;
  stdout([name, outcome, answer, `${durationMs} ms`, capabilities.join(", ")].join("  ").trim());
  if (problem !== undefined) stderr(problem);
  for (const remark of report.remarks ?? []) stderr(remark);
  if (!isEnabled) stderr(`${name} is disabled: sealhouse source enable ${name}`);
}

function lineOf(source: ShownListedSource): string {
  const { name, protocol, url, priority, surface, strategy, from, status } = source;
  const { lastSuccessAt, lastErrorAt, lastError, pausedUntil } = source;
  return [
    name,
    protocol,
    url,
    status,
    `priority ${priority}`,
    ...(surface === undefined ? [] : [`surface ${surface}`]),
    strategy,
    ...(pausedUntil === undefined ? [] : [`until ${pausedUntil}`]),
    ...(lastSuccessAt === undefined ? [] : [`last success ${lastSuccessAt}`]),
    ...(lastErrorAt === undefined ? [] : [`last error ${lastErrorAt}: ${lastError}`]),
    `from the ${from === "database" ? "database" : "settings"}`,
  ].join("  ");
}
