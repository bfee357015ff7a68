import { expect, test } from "vitest";
import type { EventType, RegistryEvent } from "../event.ts";
import { mailConsumer } from "./mail-consumer.ts";
import type { NewMail } from "./mail.ts";

const OPERATOR = "ops@acme.example";
const PEOPLE: Readonly<Record<string, readonly string[]>> = {
  ada: ["ada@acme.example"],
  "user-1": ["ada@acme.example"],
  "admin-1": ["root@acme.example"],
  eve: ["eve@acme.example"],
  web: ["lin@acme.example", "ADA@acme.example"],
  "npm/@acme/bar": ["bob@acme.example"],
  both: ["ada@acme.example", "Ops@acme.example"],
};
const mailsOf = (keys: readonly string[]) => keys.flatMap((key) => PEOPLE[key] ?? []);

async function mailsAbout(...events: readonly RegistryEvent[]): Promise<readonly NewMail[]> {
  const mails = new Map<string, NewMail>();
  const consumer = mailConsumer({
    queue: {
      async add(added) {
        for (const mail of added) if (!mails.has(mail.key)) mails.set(mail.key, mail);
      },
    },
    serverName: "Feed",
    administrators: [OPERATOR],
    publicUrl: "https://feed.example/registry/",
    isFirstToken: async () => true,
    receivers: {
      ofOwners: async (owners) => mailsOf(owners),
      ofName: async ({ protocol, name }) => mailsOf([`${protocol}/${name}`]),
      ofToken: async (id) => mailsOf([id]),
      isAdministrator: async (id) => id === "admin-1",
    },
  });
  await consumer.handle([...events, ...events]);
  return [...mails.values()];
}

const BAR = "npm/@acme/bar";
const BAR_PAGE = "Page: https://feed.example/registry/npm-packages/@acme/bar";
const levels = { ada: "manage", web: "read" };
const pipeline = {
  change: "added",
  provider: "github",
  claims: { repository: "acme/web", workflow: { file: "publish.yml" } },
  protocols: ["npm"],
};
const JOBS = 'Jobs: repository acme/web, workflow {"file":"publish.yml"}';

type Case = readonly [
  what: string,
  type: EventType,
  subject: string,
  detail: Readonly<Record<string, unknown>>,
  receivers: readonly string[],
  lines: readonly string[],
];

test.each<Case>([
  [
    "a new owner: the others, and no team that reads",
    "package.owners-changed",
    BAR,
    { before: levels, levels: { ...levels, eve: "manage" } },
    ["ada", "eve"],
    ["Name: npm @acme/bar", "Added: eve (manage)", BAR_PAGE],
  ],
  [
    "a removed owner and the rest",
    "package.owners-changed",
    BAR,
    { before: { ...levels, eve: "publish" }, levels, transfer: "t-1" },
    ["ada", "eve"],
    ["Removed: eve (publish)", "Accepted transfer: t-1"],
  ],
  [
    "a new level of a team",
    "package.owners-changed",
    "oci/team/app",
    { before: levels, levels: { ada: "manage", web: "publish" } },
    ["ada", "web"],
    ["New level: web (publish)", "Page: https://feed.example/registry/images/team/app"],
  ],
  ["the first owner", "package.owners-changed", BAR, { levels }, [], []],
  ["an imported owner", "package.owners-changed", BAR, { before: {}, levels }, [], []],
  [
    "an offer: the other side",
    "transfer.changed",
    "nuget/Acme.Bar",
    { change: "offered", to: "eve", level: "manage" },
    ["eve"],
    ["Level: manage", "Page: https://feed.example/registry/packages/Acme.Bar"],
  ],
  ["an accepted offer", "transfer.changed", BAR, { change: "accepted", to: "eve" }, [], []],
  ["a declined offer", "transfer.changed", BAR, { change: "declined", to: "eve" }, [], []],
  [
    "a trusted publisher",
    "package.trust-changed",
    BAR,
    pipeline,
    [BAR],
    ["Name: npm @acme/bar", "Change: added", JOBS, BAR_PAGE],
  ],
  [
    "a pipeline of a team for a pattern",
    "pipeline.changed",
    "pipeline/p-1",
    { ...pipeline, owner: "web", patterns: ["@acme/*"] },
    ["web"],
    ["Names: npm: @acme/*", JOBS],
  ],
  [
    "a pipeline of the operators for a name",
    "pipeline.changed",
    "pipeline/p-1",
    { ...pipeline, protocols: ["npm", "nuget"], patterns: ["@acme/bar", "@other/*"] },
    [BAR],
    ["Name: npm @acme/bar", BAR_PAGE],
  ],
  ["a public name", "package.access-changed", BAR, { access: "public" }, [BAR], [BAR_PAGE]],
  ["a private name", "package.access-changed", BAR, { access: "private" }, [], []],
  ["a restricted name", "package.access-changed", BAR, { access: "restricted" }, [], []],
  [
    "a role",
    "user.changed",
    "user/ada",
    { change: "role", role: "publisher" },
    ["ada"],
    ["Role: publisher"],
  ],
  [
    "a new administrator: the others, too",
    "user.changed",
    "user/ada",
    { change: "role", role: "administrator" },
    ["operator", "ada"],
    ["User: ada", "Page: https://feed.example/registry/account"],
  ],
  ["a state", "user.changed", "user/ada", { change: "state", state: "blocked" }, [], []],
  [
    "a passkey",
    "passkey.changed",
    "user/user-1",
    { change: "removed", name: "Laptop" },
    ["ada"],
    ["Change: removed"],
  ],
  [
    "a passkey of an administrator: the others, too",
    "passkey.changed",
    "user/admin-1",
    { change: "added", name: "Phone" },
    ["operator", "admin-1"],
    ["User: mallory", "Passkey: Phone"],
  ],
  [
    "a token that administers, of a token",
    "token.created",
    "token/eve",
    { name: "ci", scopes: ["read", "admin"], parentId: "t-0" },
    ["eve"],
    ["Token: ci", "Created by: mallory"],
  ],
  [
    "another token of a token",
    "token.created",
    "token/eve",
    { scopes: ["read"], parentId: "t-0" },
    [],
    [],
  ],
  [
    "a token that expires",
    "token.expires",
    "token/web",
    { name: "ci", days: 3 },
    ["operator", "web"],
    [],
  ],
])("mails about %s", async (...[, type, subject, detail, receivers, lines]) => {
  const caller = { actor: "mallory" };
  const at = new Date("2026-01-01T12:00:00Z");
  const mails = await mailsAbout({ id: "7", type, subject, at, caller, detail });
  const expected = receivers.flatMap((key) => (key === "operator" ? [OPERATOR] : mailsOf([key])));
  const addresses = mails.map(({ recipient }) => recipient.toLowerCase());
  expect(addresses.toSorted()).toEqual(
    [...new Set(expected.map((one) => one.toLowerCase()))].toSorted(),
  );
  for (const line of lines) expect(mails[0]?.body.split("\n")).toContain(line);
});

test("mails the owners of one name no other pattern of a pipeline", async () => {
  const detail = { ...pipeline, owner: "eve", patterns: ["@acme/bar", "@acme/secret"] };
  const at = new Date("2026-01-01T12:00:00Z");
  const event = { id: "7", type: "pipeline.changed", subject: "pipeline/p-1", at, detail } as const;
  const mails = await mailsAbout({ ...event, caller: { actor: "eve" } });
  const bodies = new Map(mails.map(({ recipient, body }) => [recipient, body]));
  expect([...bodies.keys()]).toEqual(["eve@acme.example", "bob@acme.example"]);
  expect(bodies.get("eve@acme.example")).toContain("@acme/secret");
  expect(bodies.get("bob@acme.example")).not.toContain("@acme/secret");
});

const HOUR_MS = 60 * 60 * 1000;
const withEve = { ...levels, eve: "manage" };

/** Bob owns the name, and Eve is offered it, or is its owner from time to time. */
test.each([
  {
    type: "package.owners-changed",
    details: [
      { before: levels, levels: withEve },
      { before: withEve, levels },
    ],
    receiver: "eve",
    // One about her addition, and one about her removal.
    mailsAnHour: 2,
  },
  {
    type: "transfer.changed",
    details: [
      { change: "offered", to: "eve" },
      { change: "withdrawn", to: "eve" },
    ],
    receiver: "eve",
    mailsAnHour: 1,
  },
  {
    type: "package.access-changed",
    details: [{ access: "public" }, { access: "private" }],
    receiver: BAR,
    mailsAnHour: 1,
  },
] as const)("mails repeated changes of $type once an hour", async (repeated) => {
  const { type, details, receiver, mailsAnHour } = repeated;
  const events = Array.from({ length: 40 }, (_, index): RegistryEvent => {
    const at = new Date(Date.UTC(2026, 0, 1, 12) + Math.floor(index / 20) * HOUR_MS);
    const detail = details[index % 2] ?? {};
    return { id: String(index), type, subject: BAR, at, caller: { actor: "mallory" }, detail };
  });
  const mails = await mailsAbout(...events);
  const received = mails.filter(({ recipient }) => mailsOf([receiver]).includes(recipient));
  expect(received).toHaveLength(2 * mailsAnHour);
});

test("mails each change of owners to the one who makes it", async () => {
  const at = new Date("2026-01-01T12:00:00Z");
  const owners = { ada: "manage", eve: "publish" };
  const withTeam = { ...owners, web: "read" };
  const details = [
    { before: owners, levels: withTeam },
    { before: withTeam, levels: owners },
    { before: owners, levels: withTeam },
  ];
  const type = "package.owners-changed";
  const events = details.map((detail, index): RegistryEvent => {
    return { id: String(index), type, subject: BAR, at, caller: { actor: "ada" }, detail };
  });
  const receivers = (await mailsAbout(...events)).map(({ recipient }) => recipient.toLowerCase());
  const countOf = (handle: string) => receivers.filter((one) => mailsOf([handle]).includes(one));
  expect(["ada", "eve"].map((handle) => countOf(handle).length)).toEqual([3, 1]);
});

test("mails an administrator once about a first token that administers", async () => {
  const detail = { name: "first", scopes: ["admin"], owner: "ops" };
  const at = new Date("2026-01-01T12:00:00Z");
  const event = { id: "7", type: "token.created", subject: "token/both", at, detail } as const;
  const mails = await mailsAbout({ ...event, caller: { actor: "ops" } });
  expect(mails.map(({ template, recipient }) => [template, recipient])).toEqual([
    ["first-token", OPERATOR],
    ["admin-token", "ada@acme.example"],
  ]);
});
