import type { ReleaseItem, StoredRelease } from "@sealhouse/promotion";
import { namesOf } from "../action.ts";
import type { Ending } from "../action.ts";
import type { ShownPlannedItem } from "./release-schemas.ts";

type Member = Pick<ReleaseItem["member"], "name" | "version">;

/** Versions that a target has before anything is sent. */
const NOT_SENT: ReadonlySet<string> = new Set(["ready", "same", "undone", "conflict", "refused"]);

/** The versions that a release publishes, by its dry run; undefined when there are none. */
export function plannedEnding(plan: readonly ShownPlannedItem[]): Ending | undefined {
  const [first] = plan;
  if (!first) return undefined;
  const targets = Map.groupBy(plan, ({ item }) => item.target);
  return {
    title: `Release ${counted(namesIn(plan.map(({ item }) => item)).length, "package")}?`,
    ends: [...targets].flatMap(([target, planned]) => targetWords(target, planned)),
    button: "Release the group",
  };
}

function targetWords(target: string, planned: readonly ShownPlannedItem[]): readonly string[] {
  const itemsOf = (...states: readonly string[]) =>
    planned.filter(({ finding }) => states.includes(finding.status)).map(({ item }) => item);
  const [sent, same] = [itemsOf("absent"), itemsOf("same")];
  const problems = planned.flatMap(({ item, finding }) =>
    "reason" in finding ? [`${target} and ${item.member.name}: ${finding.reason}`] : [],
  );
  return [
    ...(sent.length > 0
      ? [`${target} gets ${counted(sent.length, "version")}: ${namesOf(namesIn(sent))}.`]
      : []),
    ...(same.length > 0 ? [`${target} has ${counted(same.length, "version")} already.`] : []),
    ...problems.slice(0, 10),
  ];
}

/** The versions that are taken back with a release; undefined when it cannot be undone. */
export function undoEnding({ items, endedAt, pivotAt, group, number }: StoredRelease) {
  if (endedAt || pivotAt) return undefined;
  const sent = items.filter(({ state, wasThere }) => !wasThere && !NOT_SENT.has(state));
  const stays = items.filter(({ wasThere, state }) => wasThere || state === "same");
  const targets = new Set(sent.map(({ target }) => target));
  return {
    title: `Undo release ${number} of ${group}?`,
    ends: [
      sent.length === 0
        ? "Nothing was sent to a target yet."
        : `Taken back from ${namesOf([...targets])}: ${counted(sent.length, "version")}: ` +
          `${namesOf(namesIn(sent))}.`,
      ...(stays.length > 0
        ? [`${counted(stays.length, "version")} stay, because they were there before.`]
        : []),
    ],
    button: "Undo the release",
  };
}

function namesIn(items: readonly { readonly member: Member }[]): readonly string[] {
  return [...new Set(items.map(({ member: { name, version } }) => `${name} ${version}`))];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
