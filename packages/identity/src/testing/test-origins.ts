import type { RequestOrigin, RequestOrigins } from "../requests/identification.ts";
import { openRequestDecisions } from "../requests/identification.ts";

/** Numbers requests, and keeps one origin for each. */
export function createTestOrigins(address = "192.0.2.1"): RequestOrigins {
  const origins = new WeakMap<Request, RequestOrigin>();
  let count = 0;
  return {
    of(request) {
      const knownOrigin = origins.get(request);
      if (knownOrigin) return knownOrigin;
      count += 1;
      const origin = { id: `request-${count}`, address, decisions: openRequestDecisions() };
      origins.set(request, origin);
      return origin;
    },
    confirmAddress: () => undefined,
  };
}
