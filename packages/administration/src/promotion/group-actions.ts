import type { GroupMember, PackageGroup } from "@sealhouse/promotion";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, conflict, invalidField, RefusedActionError } from "../refusal.ts";
import { flag, named, NAME_MAX, nameField, textField } from "./fields.ts";

const GROUP = z
  .strictObject({ name: z.string(), members: z.array(z.string()), targets: z.array(z.string()) })
  .meta({ id: "Group", title: "Packages that are released together" });

/** A group as the API and commands show it. */
export type ShownGroup = z.output<typeof GROUP>;

const NO_PAGE = { none: "Groups have no page." };
// A group decides which packages leave the registry, as a target decides where they go.
const COMMON = { scope: "targets:write", form: NO_PAGE } as const;

const addGroup = defineAction({
  ...COMMON,
  id: "groups.add",
  summary: "add a group",
  method: "POST",
  path: "/groups",
  command: "group add <name>",
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
  output: GROUP,
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
    const groups = await (await parts.promotion()).groups.list();
    const all = await Promise.all(groups.map(shownGroup));
    return pageOf(all, input, ({ name }) => name.toLowerCase());
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
  async run({ input: { name }, parts }) {
    const found = named(await (await parts.promotion()).groups.list(), name);
    if (!found) throw noGroup(name);
    return shownGroup(found);
  },
});

const removeGroup = defineAction({
  ...COMMON,
  id: "groups.remove",
  summary: "remove a group; its releases stay in the history",
  method: "DELETE",
  path: "/groups/{name}",
  command: "group remove <name>",
  input: z.strictObject({ name: nameField("Group") }),
  output: z.strictObject({ name: z.string() }),
  refusals: ["absent", "conflict"],
  lasting: "change-targets",
  changes: "groups.show",
  async run({ input: { name }, parts, caller }) {
    const outcome = await (await parts.promotion()).groups.remove(name, caller);
    if (outcome === "absent") throw noGroup(name);
    if (outcome === "used") throw conflict(`A syndication uses the group ${name}.`);
    return { name };
  },
});

/** Packages that are released together. */
export const GROUP_ACTIONS = [addGroup, listGroups, showGroup, removeGroup];

export function noGroup(name: string): RefusedActionError {
  return absent(`There is no group "${name}": sealhouse group list`);
}

async function shownGroup({ name, members, targets }: PackageGroup): Promise<ShownGroup> {
  const { memberText } = await import("@sealhouse/promotion");
  return { name, members: members.map(memberText), targets: [...targets] };
}
