import type { RequestOrigin, RequestOrigins } from "../requests/access-rules.ts";

/** Numbers requests, and keeps one origin for each. */
export function createTestOrigins(address = "192.0.2.1"): RequestOrigins {
  const origins = new WeakMap<Request, RequestOrigin>();
  let count = 0;
  return {
    of(request) {
      const knownOrigin = origins.get(request);
      if (knownOrigin) return knownOrigin;
      count += 1;
      const origin = { id: `request-${count}`, address };
      origins.set(request, origin);
      return origin;
    },
    confirmAddress: () => undefined,
  };
}
