import { BoundedCache } from "@sealhouse/bounded-cache";
import {
  missingView,
  mountPath,
  readOnlyView,
  shownTime,
  unknownViewTime,
  viewOfPath,
} from "@sealhouse/http-responses";
import { Hono } from "hono";
import { NuGetError } from "../errors.ts";
import type { ViewPorts } from "../hidden-ids.ts";
import { portsOfUnknown } from "../hidden-ids.ts";
import type { NuGetPorts } from "../ports.ts";
import { createContentMemory, mountContent } from "../routes/content.ts";
import { mountDocuments } from "../routes/documents.ts";
import { createServiceIndex, mountServiceIndex } from "../routes/service-index.ts";
import { mountSignatures } from "../routes/signatures.ts";
import { mountVulnerabilities } from "../routes/vulnerabilities.ts";
import { lookupAsOf } from "./lookup-as-of.ts";
import type { PackageViews } from "./ports.ts";

export type ViewOptions = { readonly signsPackages: boolean; readonly now: () => Date };

const RECENT_VIEWS_MAX = 32;

/** The feed as of a time, read-only, at `/@2026-10-01T12:00Z/v3/…`. */
export function mountViews(app: Hono, ports: NuGetPorts, options: ViewOptions): void {
  const { views } = ports;
  if (!views) return;
  const content = createContentMemory();
  // Routes cost about a millisecond to build.
  const recent = new BoundedCache<string, Hono>({ entries: RECENT_VIEWS_MAX });
  const open = (time: Date, mount: string, segment: string): Hono => {
    const unknown = portsOfUnknown(ports);
    const viewPorts: ViewPorts = {
      ...portsAsOf(ports, views, { time, segment }),
      ofUnknown: portsAsOf(
        unknown,
        { documents: unknown.documents, past: unknown.views?.past ?? views.past },
        { time, segment },
      ),
    };
    const view = new Hono();
    const features = { ...options, acceptsPackages: false, isView: true };
    mountServiceIndex(view, viewPorts, createServiceIndex(viewPorts, features));
    mountDocuments(view, viewPorts);
    mountContent(view, viewPorts, content);
    mountSignatures(view, viewPorts);
    mountVulnerabilities(view, viewPorts);
    return mounted(view, `${mount}/:view`, unanswered(time));
  };
  app.all("/:view{[@%][^/]+}/*", async (c, next) => {
    const mount = mountPath(c);
    const view = viewOfPath(c.req.path.slice(mount.length));
    if (!view) return next();
    const { segment, time } = view;
    if (!time) throw new NuGetError("not-found", { problems: [unknownViewTime(segment)] });
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    if (!isRead) throw new NuGetError("read-only", { problems: [readOnlyView(time)] });
    await requireView(time, views, options.now());
    const viewApp = recent.remember(`${mount}/${segment}`, () => open(time, mount, segment));
    return viewApp.fetch(c.req.raw, c.env);
  });
}

/** Errors go to the app above, which answers them. */
function mounted(view: Hono, path: string, notFound: string): Hono {
  const parent = new Hono();
  parent.onError((error) => {
    throw error;
  });
  parent.notFound(() => {
    throw new NuGetError("not-found", { problems: [notFound] });
  });
  return parent.route(path, view);
}

type OpenView = { readonly time: Date; readonly segment: string };

function portsAsOf(
  ports: NuGetPorts,
  { past, documents }: PackageViews,
  { time, segment }: OpenView,
): NuGetPorts {
  const lookup = lookupAsOf(ports.lookup, past, time);
  return {
    ...ports,
    documents,
    lookup,
    symbols: {
      ...ports.symbols,
      findPackage: async (id, version) =>
        (await lookup.find(id, version)) && ports.symbols.findPackage(id, version),
    },
    address(request, env) {
      const { base, cacheable } = ports.address(request, env);
      return { base: `${base}/${segment}`, cacheable };
    },
  };
}

/** @throws {NuGetError} `not-found` where there is no view */
async function requireView(time: Date, { past }: PackageViews, now: Date): Promise<void> {
  const missing = missingView(time, { now, beginning: await past.beginning(time) });
  if (missing !== undefined) throw new NuGetError("not-found", { problems: [missing] });
}

function unanswered(time: Date): string {
  return (
    `The view as of ${shownTime(time)} has documents and files of packages; ` +
    "ask the address without the time for everything else."
  );
}
