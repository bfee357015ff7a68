import { createOciApp } from "../app.ts";
import type { MemoryIdentity } from "../testing/memory-access.ts";
import { createMemoryAccess } from "../testing/memory-access.ts";
import { createMemoryOciPorts } from "../testing/memory-ports.ts";
import type { OciClientOptions } from "./client.ts";
import { openOciClient } from "./open-client.ts";

export type Seen = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly authorization: string | null;
};

export type MemoryRegistryOptions = Partial<OciClientOptions> & {
  readonly host?: string;
  /** Accepted credentials; without any, all callers have all rights. */
  readonly identities?: readonly MemoryIdentity[];
  /** Answers instead of the registry when it gives something. */
  readonly instead?: (request: Request, count: number) => Response | undefined;
  /** Changes what the registry answers. */
  readonly after?: (request: Request, answer: Response) => Response;
};

/** A client, and the registry in memory that it calls. */
export function openMemoryRegistry(options: MemoryRegistryOptions = {}) {
  const { host = "registry.test", identities, instead, after, ...rest } = options;
  const base = `https://${host}`;
  const ports = createMemoryOciPorts({
    base,
    ...(identities && { access: createMemoryAccess(identities) }),
  });
  const app = createOciApp(ports, { service: host });
  const seen: Seen[] = [];
  const waits: number[] = [];
  const client = openOciClient({
    registry: new URL(base),
    wait: async (ms) => void waits.push(ms),
    ...rest,
    async fetch(url, init) {
      const request = new Request(url, init);
      const { method, headers } = request;
      const target = url.pathname + url.search;
      const count = seen.filter(
        (listedRequest) => listedRequest.method === method && listedRequest.target === target,
      ).length;
      seen.push({ method, target, authorization: headers.get("authorization") });
      init.signal?.throwIfAborted();
      const answer = instead?.(request, count) ?? (await app.request(request));
      return after ? after(request, answer) : answer;
    },
  });
  return { client, ports, seen, waits, host };
}
