import { absentThen, lostSince } from "@sealhouse/http-responses";
import { NpmError } from "../errors.ts";
import type { NpmLookup } from "../ports.ts";
import type { NpmPast } from "./ports.ts";
import { packageAsOf } from "./visible-package.ts";

/**
 * Creates a lookup that answers as of a time. It throws for packages and versions that did not
 * exist then or are gone: the client must learn the reason.
 */
export function lookupAsOf(lookup: NpmLookup, past: NpmPast, time: Date): NpmLookup {
  return {
    async find(name) {
      const then = await past.find(name, time);
      if (!then) throw new NpmError("not-found", absentThen(name, time));
      const found = await lookup.find(name);
      const shown = found && packageAsOf(found, then);
      if (!shown) throw new NpmError("not-found", lostSince(name, { time }));
      return shown;
    },
    has: async (name) => (await past.find(name, time)) !== undefined,
    async tarball(name, version) {
      const then = await past.version(name, version, time);
      if (!then) throw new NpmError("not-found", absentThen(`${name} ${version}`, time));
      const tarball = await lookup.tarball(name, version);
      if (tarball?.integrity === then.integrity) return tarball;
      const { until } = then;
      throw new NpmError("not-found", lostSince(`${name} ${version}`, { time, until }));
    },
  };
}
