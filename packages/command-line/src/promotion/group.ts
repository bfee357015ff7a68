import { groupNamed, memberText, parseMember, parseVersionRule } from "@sealhouse/promotion";
import type { GroupMember, PackageGroup } from "@sealhouse/promotion";
import { TARGET_NAME, targetNamed } from "@sealhouse/promotion";
import { CommandError } from "../command.ts";
import type { Command, Json } from "../command.ts";
import { operator } from "../operator.ts";
import { openFeed } from "../open-feed.ts";

export type GroupAddOptions = Json & {
  readonly member: readonly string[];
  readonly rule: string;
  readonly target: readonly string[];
  readonly replace?: true;
};

export async function addGroup(
  command: Command,
  name: string,
  options: GroupAddOptions,
): Promise<number> {
  if (!TARGET_NAME.test(name)) {
    throw new CommandError("the name is not allowed; allowed: up to 64 letters, digits and . _ -");
  }
  const members = membersIn(options);
  await using resources = await openFeed(command);
  const { targets, groups } = await resources.openPromotion();
  const stored = await targets.list();
  const missing = options.target.find((target) => !targetNamed(stored, target));
  if (missing !== undefined) {
    throw new CommandError(`--target: there is no target "${missing}": sealhouse target list`);
  }
  if (groupNamed(await groups.list(), name) && !options.replace) {
    throw new CommandError(`There is a group "${name}" already. To replace it, add --replace.`);
  }
  const group: PackageGroup = { name, members, targets: options.target };
  await groups.put(group, operator());
  if (options.json) command.stdout(JSON.stringify(shownGroup(group), undefined, 2));
  else {
    command.stderr(`Added the group ${name}.`);
    command.stderr(`To see what a release would do: sealhouse promote ${name} --dry-run`);
  }
  return 0;
}

export async function listGroups(command: Command, { json }: Json): Promise<number> {
  await using resources = await openFeed(command);
  const { groups } = await resources.openPromotion();
  const shown = (await groups.list()).map(shownGroup);
  if (json) command.stdout(JSON.stringify(shown, undefined, 2));
  else {
    for (const { name, members, targets } of shown) {
      command.stdout(`${name}  ${members.join(" ")}  to ${targets.join(", ") || "no target"}`);
    }
  }
  if (!json && shown.length === 0) command.stderr("There are no groups: sealhouse group add");
  return 0;
}

export async function removeGroup(command: Command, name: string): Promise<number> {
  await using resources = await openFeed(command);
  const { groups } = await resources.openPromotion();
  const outcome = await groups.remove(name, operator());
  if (outcome === "absent") {
    throw new CommandError(`There is no group "${name}": sealhouse group list`);
  }
  if (outcome === "used") throw new CommandError(`A syndication uses the group ${name}.`);
  command.stderr(`Removed the group ${name}. Its releases stay in the history.`);
  return 0;
}

/** @throws {CommandError} */
function membersIn({ member, rule }: GroupAddOptions): readonly GroupMember[] {
  const common = parseVersionRule(rule);
  if (!common) throw new CommandError(`--rule: "${rule}" is not ${RULES}`);
  return member.map((text) => {
    const parsed = parseMember(text, common);
    if (parsed) return parsed;
    const example = "npm:@acme/bar, nuget:Acme.* or oci:team/app=exact:1.4";
    throw new CommandError(`--member: "${text}" is not a member, such as ${example}`);
  });
}

const RULES = "latest-stable, latest, latest-tag, pattern:1.2.* or exact:1.2.3";

function shownGroup({ name, members, targets }: PackageGroup) {
  return { name, members: members.map(memberText), targets };
}
