import type { RegistrySources } from "@sealhouse/console";
import { drainAudit, EVENT_TYPES } from "@sealhouse/events";
import type { EventType } from "@sealhouse/events";
import { cacheFor } from "@sealhouse/http-server";
import type { Protocol } from "@sealhouse/request-types";
import type { StoreWatch } from "@sealhouse/storage-providers";
import { describeFailure } from "../operations/operations.ts";
import type { Core } from "../wiring/core.ts";
import type { Added } from "../wiring/feature.ts";

type Overview = Omit<NonNullable<RegistrySources["overview"]>, "forms">;
type Attention = Awaited<ReturnType<Overview["attention"]>>[number];

/** The parts of the host that the overview of administrators shows. */
export type OverviewCore = Pick<Core, "config" | "metrics" | "sums" | "now"> & {
  readonly resources: Pick<Core["resources"], "database">;
};

const DAY_MS = 24 * 3_600_000;
/** Milliseconds before an end at which an administrator should act. */
const SOON_MS = 30 * DAY_MS;
const TOKEN_SOON_MS = 7 * DAY_MS;
const RELEASES_MAX = 50;
/** Rows of one kind on the page. */
const ROWS_MAX = 10;
const USAGE_MS = 60_000;
const PROTOCOLS: readonly Protocol[] = ["nuget", "npm", "oci"];

/** Opens the lookups of the overview and of the audit log. */
export function openOverview(
  core: OverviewCore,
  storeWatch: Pick<StoreWatch, "check">,
  { problems }: Pick<Added, "problems">,
): Overview {
  const { metrics, resources } = core;
  const { database } = resources;
  const { audit, outbox } = database.events;
  // Its cost grows with the number of blobs.
  const storedBytes = cacheFor(USAGE_MS, async () => {
    const sums = await Promise.all(PROTOCOLS.map((protocol) => database.blobs.usage(protocol)));
    return sums.reduce((sum, bytes) => sum + bytes, 0);
  });
  const failures = async () => [
    ...(await healthFailures(core, storeWatch)),
    ...problemRows(problems()),
  ];
  return {
    audit: {
      async read({ types, ...ask }) {
        await drainAudit(outbox, audit);
        return audit.read({ ...ask, ...(types && { types: types.filter(isType) }) });
      },
      find: (id) => audit.find(id),
      types: EVENT_TYPES,
    },
    async attention() {
      const found = await Promise.all([
        failures(),
        damageRows(core),
        releaseRows(core),
        jobRows(core),
        certificateRows(core),
        targetRows(core),
        tokenRows(core),
      ]);
      const all = found.flatMap(firstRows);
      return [
        ...all.filter(({ tone }) => tone === "bad"),
        ...all.filter(({ tone }) => tone === "warn"),
      ];
    },
    async figures() {
      const counted = Object.values(metrics.counted());
      return {
        isHealthy: (await failures()).length === 0,
        storedBytes: await storedBytes(),
        pushes: counted.reduce((sum, { push }) => sum + push, 0),
        pulls: counted.reduce((sum, { pull }) => sum + pull, 0),
      };
    },
  };
}

/** The first rows of a kind, and how many more there are. */
function firstRows(rows: readonly Attention[]): readonly Attention[] {
  const [last] = rows.slice(ROWS_MAX);
  if (!last) return rows;
  const title = `${rows.length - ROWS_MAX} more of this kind`;
  return [...rows.slice(0, ROWS_MAX), { tone: last.tone, title }];
}

const TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);

function isType(type: string): type is EventType {
  return TYPES.has(type);
}

/** The storage and the writes of the database; without reads of it, there is no page. */
async function healthFailures(
  { resources: { database } }: OverviewCore,
  storeWatch: Pick<StoreWatch, "check">,
): Promise<readonly Attention[]> {
  const checks = [
    ["The storage", () => storeWatch.check()],
    ["The database", () => database.checkWrites()],
  ] as const;
  const rows: Attention[] = [];
  for (const [what, check] of checks) {
    try {
      await check();
    } catch (error) {
      const title = `${what} ${describeFailure(error) ?? "cannot be used"}`;
      rows.push({ tone: "bad", title, text: "Uploads fail until this ends." });
    }
  }
  return rows;
}

const PAGES: Readonly<Record<string, { readonly path: string; readonly text: string }>> = {
  signing: { path: "/trust", text: "Certificates" },
  webhooks: { path: "/administration/actions/webhooks.list", text: "Webhooks" },
  mail: { path: "/administration/actions/mail.list", text: "Mails" },
  events: { path: "/administration/actions/events.list", text: "Parked events" },
  releases: { path: "/administration/releases", text: "Releases" },
};

function problemRows(problems: Readonly<Record<string, string | undefined>>) {
  return Object.entries(problems).flatMap(([name, text]): readonly Attention[] => {
    if (text === undefined) return [];
    const [kind = "", of] = name.split(/:(.*)/s, 2);
    const title = of === undefined ? `Problem with ${name}` : `Package source ${of}`;
    const path = `/administration/package-sources/${encodeURIComponent(of ?? "")}`;
    const link = kind === "source" ? { path, text: "Look at the source" } : PAGES[kind];
    return [{ tone: "warn", title, text: sentence(text), ...(link && { link }) }];
  });
}

async function damageRows({ sums }: OverviewCore): Promise<readonly Attention[]> {
  const rows: Attention[] = [];
  for (const protocol of PROTOCOLS) {
    const count = await sums.blobsDamaged[protocol]();
    if (count === 0) continue;
    rows.push({
      tone: "bad",
      title: `${count} damaged ${count === 1 ? "file" : "files"} of ${NAMES[protocol]}`,
      text: "Restore them from a backup, or publish them again.",
      link: { path: "/administration/audit?type=blob.damaged", text: "Records" },
    });
  }
  return rows;
}

const NAMES = { nuget: "NuGet", npm: "npm", oci: "images" } as const;

/** The newest release of each group, when it stopped. */
async function releaseRows({ resources }: OverviewCore): Promise<readonly Attention[]> {
  const { releases } = resources.database.promotion;
  const newest = new Map<string, Awaited<ReturnType<typeof releases.list>>[number]>();
  for (const release of await releases.list({ limit: RELEASES_MAX })) {
    if (!newest.has(release.group)) newest.set(release.group, release);
  }
  return [...newest.values()].flatMap(({ id, group, state, reason }): readonly Attention[] =>
    state === "failed"
      ? [
          {
            tone: "bad",
            title: `A release of ${group} stopped`,
            ...(reason !== undefined && { text: sentence(reason) }),
            link: { path: `/administration/releases/${id}`, text: "Look into it" },
          },
        ]
      : [],
  );
}

/** Long actions that ended without a result, until the same action succeeds. */
async function jobRows({ resources, now }: OverviewCore): Promise<readonly Attention[]> {
  const jobs = await resources.database.administration.jobs.list(now());
  const latest = new Map<string, (typeof jobs)[number]>();
  for (const job of jobs) if (!latest.has(job.action)) latest.set(job.action, job);
  return [...latest.values()].flatMap(({ id, action, actor, state }): readonly Attention[] =>
    state === "lost" || state === "failed"
      ? [
          {
            tone: "warn",
            title: `The action ${action} of ${actor} ${state === "lost" ? "was lost" : "failed"}`,
            link: { path: `/administration/actions/jobs.show?id=${id}`, text: "Its job" },
          },
        ]
      : [],
  );
}

async function certificateRows({ resources, now }: OverviewCore): Promise<readonly Attention[]> {
  const certificates = await resources.database.certificates.list();
  const time = now().getTime();
  // Only the certificate that signed last.
  const current = certificates.toSorted((a, b) => usedMs(b) - usedMs(a)).slice(0, 1);
  return current.flatMap(({ subject, notAfter }): readonly Attention[] =>
    notAfter.getTime() - time < SOON_MS
      ? [
          {
            tone: notAfter.getTime() < time ? "bad" : "warn",
            title: `The signing certificate ends on ${dayOf(notAfter)}`,
            text: sentence(subject),
            link: { path: "/trust", text: "Certificates" },
          },
        ]
      : [],
  );
}

function usedMs({ lastUsedAt }: { readonly lastUsedAt?: Date | undefined }): number {
  return lastUsedAt?.getTime() ?? 0;
}

async function targetRows({ resources, now }: OverviewCore): Promise<readonly Attention[]> {
  const time = now().getTime();
  const targets = await resources.database.promotion.targets.list();
  return targets.flatMap(({ name, expiresAt }): readonly Attention[] =>
    expiresAt && expiresAt.getTime() - time < SOON_MS
      ? [
          {
            tone: expiresAt.getTime() < time ? "bad" : "warn",
            title: `The token of the target ${name} ends on ${dayOf(expiresAt)}`,
            link: {
              path: `/administration/publish-targets/${encodeURIComponent(name)}`,
              text: "Replace it",
            },
          },
        ]
      : [],
  );
}

async function tokenRows({ resources, now }: OverviewCore): Promise<readonly Attention[]> {
  const since = now();
  const until = new Date(since.getTime() + TOKEN_SOON_MS);
  const tokens = await resources.database.tokenNotices.expiring({ since, until });
  return tokens.map(({ id, name, owner, expiresAt }) => {
    const whose = owner === undefined ? "" : ` of ${owner}`;
    return {
      tone: "warn",
      title: `The API token ${name}${whose} ends on ${dayOf(expiresAt)}`,
      link: { path: `/administration/api-keys/${id}`, text: "Replace it" },
    };
  });
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
