import { randomUUID } from "node:crypto";
import type { Caller } from "@sealhouse/request-types";
import { keepLoans, loanProblem, missingLoan } from "../lending/lend.ts";
import type { Loan } from "../lending/lend.ts";
import type { LentKeys } from "../lending/lent-keys.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import type { StoredTargets } from "../target/stored-targets.ts";
import { itemsOf } from "./freeze-release.ts";
import type { NewRelease, OpenedRelease, ReleaseRows } from "./ports.ts";
import { choose } from "./promotion-request.ts";
import type { ChoicePorts, Chosen, PromotionRequest } from "./promotion-request.ts";
import { membersOf } from "../model/release.ts";

/** A group, target or key that a release needs does not exist. */
export type AbsentPart = Extract<Chosen, { readonly status: "absent" }>;

/** Dependencies of the opening of releases. */
export type OpeningPorts = {
  readonly targets: Pick<StoredTargets, "list">;
  readonly releases: ReleaseRows;
  readonly keys: LentKeys;
  readonly now: () => Date;
};

/** Opens a release of a group. */
export async function openPromoted(
  ports: OpeningPorts & ChoicePorts,
  request: PromotionRequest,
  caller: Caller,
): Promise<OpenedRelease | AbsentPart> {
  const chosen = await choose(ports, request);
  if (chosen.status === "absent") return chosen;
  const { group, targets } = chosen;
  const id = randomUUID();
  const { key = id, loans = [] } = request;
  const lane = laneOf(group.name);
  const parts = { id, key, lane, group: group.name, kind: "promotion", targets } as const;
  return openWithLoans(ports, { ...parts, loans, stored: await ports.targets.list() }, caller);
}

/** The keys come first: another process may run the release at once. */
async function openWithLoans(
  { releases, keys, now }: OpeningPorts,
  {
    loans,
    stored,
    ...release
  }: NewRelease & { readonly loans: readonly Loan[]; readonly stored: readonly PublishTarget[] },
  caller: Caller,
): Promise<OpenedRelease | AbsentPart> {
  const reason =
    loanProblem(loans, release.targets, stored) ?? missingLoan(loans, release.targets, stored);
  if (reason !== undefined) return { status: "absent", reason };
  await keepLoans(keys, release.id, { loans, now: now() });
  const opened = await releases.open(release, caller);
  if (opened.status === "opened") return opened;
  for (const { target } of loans) await keys.drop({ release: release.id, target, name: "" });
  if (opened.status === "repeated") {
    await keepLoans(keys, opened.release.id, { loans, now: now() });
  }
  return opened;
}

/** Opens a release with the versions of an earlier one, whatever its group has now. */
export async function openRepeated(
  ports: OpeningPorts,
  {
    id: earlierId,
    targets,
    loans = [],
  }: { readonly id: string } & Pick<PromotionRequest, "targets" | "loans">,
  caller: Caller,
): Promise<OpenedRelease | AbsentPart> {
  const earlier = await ports.releases.find(earlierId);
  if (!earlier) return { status: "absent", reason: `There is no release ${earlierId}.` };
  const stored = await ports.targets.list();
  const id = randomUUID();
  const { group, kind, targets: former } = earlier;
  const names = targets ?? former;
  const members = membersOf(earlier.items);
  const planned = itemsOf({ id, targets: names }, members, stored);
  if (planned.status === "refused") return { status: "absent", reason: planned.reason };
  const lane = kind === "promotion" ? laneOf(group) : id;
  const { items } = planned;
  const parts = { id, key: id, lane, group, kind, targets: names, items };
  return openWithLoans(ports, { ...parts, loans, stored }, caller);
}

/** Releases of a group run one after the other. */
function laneOf(group: string): string {
  return `group/${group.toLowerCase()}`.slice(0, 64);
}
