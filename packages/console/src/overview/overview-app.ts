import { Hono } from "hono";
import type { Context } from "hono";
import { OVERVIEW } from "../administration/administration-page.ts";
import { administratorPage } from "../administration/administrator.ts";
import { AUDIT } from "../kit/page/page-paths.ts";
import { notFoundResponse } from "../kit/refusals/not-found-page.ts";
import { exportResponse } from "./audit-export.ts";
import { filtersIn } from "./audit-filters.ts";
import { auditPage, recordPage } from "./audit-page.ts";
import type { OverviewSources } from "./overview-sources.ts";
import { overviewPage } from "./overview-page.ts";
import type { Counted } from "./overview-page.ts";

const LATEST = 8;
const RECORDS = 50;
const COUNTED_MAX = 100;
const DAY_MS = 24 * 3_600_000;
/** The form of `next` of a page. */
const AFTER = /^\d{1,16}-\d{1,16}$/;

/** Serves the overview and the audit log: `GET /administration`, `/administration/audit…`. */
export function createOverviewApp(sources: OverviewSources): Hono {
  const app = new Hono();
  app.get(OVERVIEW, (c) => overview(sources, c));
  app.get(AUDIT, (c) => log(sources, c));
  app.get(`${AUDIT}.jsonl`, (c) => exported(sources, c));
  app.get(`${AUDIT}/:id`, (c) =>
    administratorPage(sources, c, async (administrator) => {
      const record = await sources.audit.find(c.req.param("id"));
      if (record) return recordPage(administrator, record);
      return notFoundResponse(administrator.site, c.req.path);
    }),
  );
  return app;
}

function overview(sources: OverviewSources, c: Context): Promise<Response> {
  return administratorPage(sources, c, async (administrator) => {
    const since = new Date(administrator.site.now.getTime() - DAY_MS);
    const newest = { order: "newest-first" } as const;
    const counted = async (type: string): Promise<Counted> => {
      const ask = { ...newest, since, types: [type], limit: COUNTED_MAX };
      const { records, next } = await sources.audit.read(ask);
      return { count: records.length, hasMore: next !== undefined };
    };
    const latest = await sources.audit.read({ ...newest, limit: LATEST });
    const [attention, figures, refused, published] = await Promise.all([
      sources.attention(),
      sources.figures(),
      counted("access.refused"),
      counted("package.published"),
    ]);
    const view = { attention, figures, refused, published, latest: latest.records };
    return overviewPage(administrator, view);
  });
}

function log(sources: OverviewSources, c: Context): Promise<Response> {
  return administratorPage(sources, c, async (administrator) => {
    const query = new URL(c.req.url).searchParams;
    const { types } = sources.audit;
    const { filters, problems } = filtersIn(query, { now: administrator.site.now, types });
    if (problems.length > 0) return auditPage(administrator, { query, records: [], problems });
    const given = query.get("after") ?? "";
    const after = AFTER.test(given) ? { after: given } : {};
    const ask = { ...filters, ...after, order: "newest-first", limit: RECORDS } as const;
    const { records, next } = await sources.audit.read(ask);
    return auditPage(administrator, { query, records, next, problems });
  });
}

function exported(sources: OverviewSources, c: Context): Promise<Response> {
  return administratorPage(sources, c, async (administrator) => {
    const query = new URL(c.req.url).searchParams;
    const { audit } = sources;
    const now = administrator.site.now;
    const { filters, problems } = filtersIn(query, { now, types: audit.types });
    if (problems.length > 0) return auditPage(administrator, { query, records: [], problems });
    return exportResponse(audit, filters);
  });
}
