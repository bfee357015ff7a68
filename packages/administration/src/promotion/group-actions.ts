import type { GroupMember, PackageGroup, Promotion } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction, namesOf } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, invalidField, RefusedActionError } from "../refusal.ts";
import { shown } from "../shown.ts";
import { flag, named, NAME_MAX, nameField, textField } from "./fields.ts";
import { LISTED_RELEASE } from "./release-schemas.ts";

const PARTS = { name: z.string(), members: z.array(z.string()), targets: z.array(z.string()) };
const ADDED = z.strictObject(PARTS);
const GROUP = z
  .strictObject({ ...PARTS, lastRelease: LISTED_RELEASE.optional() })
  .meta({ id: "Group", title: "Packages that are released together" });

/** A group as the API and commands show it. */
export type ShownGroup = z.output<typeof GROUP>;

const LIST = "/administration/package-groups";
const PAGE = `${LIST}/{name}`;
// A group decides which packages leave the registry, as a target decides where they go.
const COMMON = { scope: "targets:write", form: { page: PAGE } } as const;

const addGroup = defineAction({
  ...COMMON,
  id: "groups.add",
  summary: "add a group",
  method: "POST",
  path: "/groups",
  command: "group add <name>",
  form: {
    page: `${LIST}/new`,
    button: "Save the group",
    done: "The group was saved.",
    after: PAGE,
  },
  input: z.strictObject({
    name: textField(NAME_MAX, "Name", "Letters, digits and . _ -: web."),
    members: field(
      z.array(z.string().max(600)).min(1).max(1_000),
      "Members",
      "npm:@acme/bar, nuget:Acme.*, oci:team/app=exact:1.4",
      { option: "--member <members...>", example: ["npm:@acme/bar"] },
    ),
    rule: field(
      z.string().max(300).default("latest-stable"),
      "Rule",
      "For members without one: latest-stable, latest, latest-tag, pattern:1.2.* or exact:1.2.3.",
    ),
    targets: field(
      z.array(z.string().max(NAME_MAX)).min(1).max(200),
      "Targets",
      "Targets of its releases.",
      { option: "--target <names...>" },
    ),
    replace: flag("Replace", "Replace the group with this name."),
  }),
  output: ADDED,
  refusals: ["exists"],
  lasting: "change-targets",
  async run({ input, parts, caller }) {
    const { name, targets: names } = input;
    const { TARGET_NAME } = await import("@sealhouse/promotion");
    if (!TARGET_NAME.test(name)) {
      throw invalidField("name", "is not allowed; allowed: up to 64 letters, digits and . _ -");
    }
    const members = await membersIn(input);
    const { targets, groups } = await parts.promotion();
    const stored = await targets.list();
    const missing = names.find((target) => !named(stored, target));
    if (missing !== undefined) {
      throw invalidField("targets", `has "${missing}", which is not in: sealhouse target list`);
    }
    if (named(await groups.list(), name) && input.replace !== true) {
      const message = `There is a group "${name}" already. To replace it, add --replace.`;
      throw new RefusedActionError("exists", message);
    }
    const group = { name, members, targets: names };
    await groups.put(group, caller);
    return shownGroup(group);
  },
});

/** @throws RefusedActionError */
async function membersIn({
  members,
  rule,
}: z.output<typeof addGroup.input>): Promise<readonly GroupMember[]> {
  const { parseMember, parseVersionRule } = await import("@sealhouse/promotion");
  const common = parseVersionRule(rule);
  if (!common) {
    const rules = "latest-stable, latest, latest-tag, pattern:1.2.* or exact:1.2.3";
    throw invalidField("rule", `must be ${rules}.`);
  }
  return members.map((text) => {
    const member = parseMember(text, common);
    if (member) return member;
    const example = "npm:@acme/bar, nuget:Acme.* or oci:team/app=exact:1.4";
    throw invalidField("members", `has "${text}", which is not a member, such as ${example}.`);
  });
}

const listGroups = defineAction({
  ...COMMON,
  id: "groups.list",
  summary: "list groups with their members and targets",
  method: "GET",
  path: "/groups",
  command: "group list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(GROUP),
  refusals: [],
  async run({ input, parts }) {
    const promotion = await parts.promotion();
    const groups = await promotion.groups.list();
    const page = pageOf(groups, input, ({ name }) => name.toLowerCase());
    const items = await Promise.all(page.items.map((group) => withRelease(promotion, group)));
    return { ...page, items };
  },
});

const showGroup = defineAction({
  ...COMMON,
  id: "groups.show",
  summary: "show a group with its members and targets",
  method: "GET",
  path: "/groups/{name}",
  command: "group show <name>",
  input: z.strictObject({ name: nameField("Group") }),
  output: GROUP,
  refusals: ["absent"],
  volatile: ["lastRelease"],
  async run({ input: { name }, parts }) {
    const promotion = await parts.promotion();
    const found = named(await promotion.groups.list(), name);
    if (!found) throw noGroup(name);
    return withRelease(promotion, found);
  },
});

const MEMBER = z
  .strictObject({
    member: z.string().describe("The member of the group that covers the package."),
    protocol: z.enum(["nuget", "npm", "oci"]),
    name: z.string(),
    version: z.string().optional().describe("What a release takes now; of an image its digest."),
    tags: z.array(z.string()).optional(),
    problem: z.string().optional().describe("Why a release takes none, and is refused."),
    released: z.string().optional().describe("The version of the last complete release."),
    isNew: z.boolean().describe("A release would change what the targets have."),
  })
  .meta({ id: "GroupMember", title: "A package of a group" });

/** A package of a group as the API and commands show it. */
export type ShownGroupMember = z.output<typeof MEMBER>;

const listMembers = defineAction({
  ...COMMON,
  id: "groups.members",
  summary: "list the versions that a release of a group takes now, and those of the last one",
  method: "GET",
  path: "/groups/{name}/members",
  command: "group members <name>",
  input: z.strictObject({ name: nameField("Group") }),
  output: z.strictObject({ items: z.array(MEMBER) }),
  refusals: ["absent"],
  async run({ input: { name }, parts }) {
    const { memberText } = await import("@sealhouse/promotion");
    const promotion = await parts.promotion();
    const group = named(await promotion.groups.list(), name);
    if (!group) throw noGroup(name);
    const released = await releasedVersions(promotion, group.name);
    const items = (await promotion.members(group)).map((chosen) => {
      const { by, name: packageName } = chosen;
      const last = released.get(keyOf(by.protocol, packageName));
      const version = "version" in chosen ? chosen.version : undefined;
      return {
        member: memberText(by),
        protocol: by.protocol,
        name: packageName,
        ...(version && { version: version.version, tags: [...version.tags] }),
        ...("problem" in chosen && { problem: chosen.problem }),
        ...(last !== undefined && { released: last }),
        isNew: version !== undefined && version.version !== last,
      };
    });
    return { items };
  },
});

const RELEASES_READ = 50;

/** The versions of the last release of a group that was complete. */
async function releasedVersions(
  { releases }: Promotion,
  group: string,
): Promise<ReadonlyMap<string, string>> {
  const newest = await releases.list({ group, limit: RELEASES_READ });
  const last = newest.find(({ state }) => state === "released");
  const { items } = (last && (await releases.find(last.id))) ?? { items: [] };
  return new Map(
    items.map(({ member: { protocol, name, version } }) => [keyOf(protocol, name), version]),
  );
}

function keyOf(protocol: string, name: string): string {
  return `${protocol}/${name.toLowerCase()}`;
}

const removeGroup = defineAction({
  ...COMMON,
  id: "groups.remove",
  summary: "remove a group; its releases stay in the history",
  method: "DELETE",
  path: "/groups/{name}",
  command: "group remove <name>",
  form: {
    page: `${PAGE}/remove`,
    button: "Remove the group",
    done: "The group was removed.",
    after: LIST,
  },
  input: z.strictObject({ name: nameField("Group") }),
  output: z.strictObject({ name: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "change-targets",
  changes: "groups.show",
  async preview({ input, parts }) {
    const group = named(await (await parts.promotion()).groups.list(), input.name);
    if (!group) return undefined;
    const { name, targets } = group;
    return {
      title: `Remove the group ${name}?`,
      ends: [
        `It is no longer released to ${namesOf(targets)}.`,
        "Its releases stay in the history. What was published stays there.",
      ],
      button: "Remove the group",
    };
  },
  async run({ input: { name }, parts, caller }) {
    const outcome = await (await parts.promotion()).groups.remove(name, caller);
    if (outcome === "absent") throw noGroup(name);
    if (outcome === "used") throw conflict(`A syndication uses the group ${name}.`);
    return { name };
  },
});

/** Packages that are released together. */
export const GROUP_ACTIONS = [addGroup, listGroups, showGroup, listMembers, removeGroup];

export function noGroup(name: string): RefusedActionError {
  return absent(`There is no group "${name}": sealhouse group list`);
}

async function withRelease({ releases }: Promotion, group: PackageGroup): Promise<ShownGroup> {
  const [last] = await releases.list({ group: group.name, limit: 1 });
  return { ...(await shownGroup(group)), ...(last && { lastRelease: shown(last) }) };
}

async function shownGroup({ name, members, targets }: PackageGroup): Promise<ShownGroup> {
  const { memberText } = await import("@sealhouse/promotion");
  return { name, members: members.map(memberText), targets: [...targets] };
}
