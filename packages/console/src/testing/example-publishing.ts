import type { AdministrationParts } from "@sealhouse/administration";

type Promotion = Awaited<ReturnType<AdministrationParts["promotion"]>>;
type Target = NonNullable<Awaited<ReturnType<Promotion["targets"]["find"]>>>;
type Group = Awaited<ReturnType<Promotion["groups"]["list"]>>[number];
type Release = NonNullable<Awaited<ReturnType<Promotion["releases"]["find"]>>>;

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 24 * 60 * 60_000;
const HOSTILE = `<b>${"no-break".repeat(30)}</b>`;

/** A target of the example; its token must be on no page. */
export function exampleTarget(fields: Partial<Target> = {}): Target {
  return {
    name: "prod-npm",
    protocol: "npm",
    endpoint: new URL("https://registry.npmjs.org/"),
    credentials: { type: "bearer", token: "a-secret-token" },
    hasLostCredentials: false,
    options: {
      nugetContent: "Original",
      publish: "direct",
      attestations: false,
      includeForeign: false,
      immutableTags: false,
      allowedOrigins: [],
      allowPrivateNetwork: false,
    },
    ...fields,
  };
}

/** A release of the example group. */
export function exampleRelease(fields: Partial<Release> = {}): Release {
  const received = { sha256: "a".repeat(64), sha512: "" };
  const member = { name: "@acme/bar", version: "1.2.0", size: 1024, mediaType: "", tags: [] };
  return {
    id: "00000000-0000-4000-8000-00000000000a",
    number: 3,
    group: "web",
    kind: "promotion",
    state: "failed",
    targets: ["prod-npm"],
    actor: "ada",
    createdAt: new Date(NOW.getTime() - DAY_MS),
    attemptsSince: new Date(NOW.getTime() - DAY_MS),
    endedAt: new Date(NOW.getTime() - DAY_MS / 2),
    reason: `The target answered 403 ${HOSTILE}`,
    items: [
      {
        id: "item-1",
        target: "prod-npm",
        member: { protocol: "npm", ...member, received },
        state: "failed",
        wasThere: false,
        attempts: 3,
        note: HOSTILE,
      },
    ],
    ...fields,
  };
}

/** Targets, groups and releases in memory. */
export function openExamplePublishing() {
  const targets = new Map<string, Target>();
  const groups = new Map<string, Group>();
  const releases = new Map<string, Release>();
  const ran: string[] = [];
  const planned: object[] = [];
  let attempts = 0;
  const keyOf = (name: string) => name.toLowerCase();
  const sorted = () => [...targets.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const paused = async (name: string, pause: Target["pause"]) => {
    const target = targets.get(keyOf(name));
    if (!target || (target.pause === undefined) === (pause === undefined)) return false;
    const { pause: _, ...rest } = target;
    targets.set(keyOf(name), { ...rest, ...(pause && { pause }) });
    return true;
  };
  const promotion = {
    targets: {
      list: async (page?: { readonly after?: string | undefined; readonly limit: number }) =>
        sorted()
          .filter(({ name }) => page?.after === undefined || name > page.after)
          .slice(0, page?.limit),
      find: async (name: string) => targets.get(keyOf(name)),
      put: async (target: Target) => void targets.set(keyOf(target.name), target),
      remove: async (name: string) => (targets.delete(keyOf(name)) ? "removed" : "absent"),
      pause: (name: string, reason: string) => paused(name, { at: NOW, reason }),
      resume: (name: string) => paused(name, undefined),
    },
    groups: {
      list: async () => [...groups.values()],
      put: async (group: Group) => void groups.set(keyOf(group.name), group),
      remove: async (name: string) => (groups.delete(keyOf(name)) ? "removed" : "absent"),
    },
    syndications: { list: async () => [] },
    releases: {
      list: async ({ group, limit }: { readonly group?: string; readonly limit: number }) =>
        [...releases.values()]
          .filter((one) => !group || one.group === group)
          .slice(0, limit)
          .map(({ items: _items, ...release }) => release),
      find: async (id: string) => releases.get(id),
      async resume(id: string) {
        const { endedAt, ...release } = releases.get(id) ?? exampleRelease();
        attempts += 1;
        const attemptsSince = new Date(NOW.getTime() + attempts * 1_000);
        releases.set(id, { ...release, state: "publishing", attemptsSince });
        return endedAt ? "resumed" : "running";
      },
      async cancel(id: string, reason: string) {
        releases.set(id, { ...(releases.get(id) ?? exampleRelease()), state: "undoing", reason });
        return "cancelled";
      },
    },
    lend: async () => undefined,
    members: async ({ members }: Pick<Group, "members">) =>
      members.map((by) => {
        const { member } = exampleRelease().items[0] ?? {};
        return member
          ? { by, name: member.name, version: { ...member, version: "1.3.0" } }
          : { by };
      }),
    plan: async () => ({ status: "planned", items: planned }),
    reach: async () => ({ status: "reachable" }),
    probe: async () => ({ status: "unproven", words: `It answered ${HOSTILE}` }),
    run: async (id: string) => void ran.push(id),
  };
  return {
    targets,
    groups,
    releases,
    ran,
    planned,
    parts: {
      promotion: async () => promotion as unknown as Promotion,
      ownOrigins: async () => ["http://localhost:8080"],
    },
  };
}

/** Targets in every state, a group, and a release that failed. */
export function examplePublishing() {
  const example = openExamplePublishing();
  const { targets, groups, releases } = example;
  const put = (target: Target) => void targets.set(target.name, target);
  put(exampleTarget({ lastSuccessAt: NOW, expiresAt: new Date(NOW.getTime() + 9 * DAY_MS) }));
  const long = `https://feed.partner.example/${"long-path/".repeat(20)}v3/index.json`;
  put(exampleTarget({ name: "partner", protocol: "nuget", endpoint: new URL(long) }));
  put(exampleTarget({ name: "held", pause: { at: NOW, reason: HOSTILE } }));
  put(exampleTarget({ name: "old", expiresAt: new Date(NOW.getTime() - DAY_MS) }));
  const rule = { type: "latest-stable" } as const;
  const members = [{ protocol: "npm", pattern: "@acme/*", rule }] as const;
  groups.set("web", { name: "web", members, targets: ["prod-npm"] });
  const release = exampleRelease();
  releases.set(release.id, release);
  return example;
}
