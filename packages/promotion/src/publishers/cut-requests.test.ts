import { buildImage } from "@sealhouse/oci-distribution/testing";
import { buildTestPackage } from "@sealhouse/repo-signing/testing";
import { expect, test } from "vitest";
import { cutting, refusing } from "./release-to.test.support.ts";
import type { Around, releaseTo } from "./release-to.test.support.ts";
import { openFeed } from "./scripted-feed.test.support.ts";
import { memberOfImage, openImages, push } from "./scripted-images.test.support.ts";
import { openNpm } from "./scripted-npm.test.support.ts";

// The connection to a stand-in is cut at each request in turn, before or after it has effect.

const PACKAGE = buildTestPackage("Acme", "1.0.0");
const IMAGE = buildImage();
const created = () => new Response("{}", { status: 201 });

type Opened = { readonly release: ReturnType<typeof releaseTo>; readonly shown: () => unknown };

const TARGETS: Readonly<Record<string, (around: Around) => Promise<Opened>>> = {
  async nuget(around) {
    const pushes = [{ answer: created(), stores: PACKAGE }];
    const feed = openFeed(PACKAGE, { pushes }, around);
    return { release: feed, shown: () => feed.calls("PUT").length };
  },
  async npm(around) {
    // A second publish would be refused, and leave the release rolled back.
    const publishes = [{ answer: created, stores: PACKAGE }];
    const npm = openNpm(PACKAGE, { publishes }, around);
    return {
      release: npm,
      shown: () => [npm.calls("PUT /@acme/bar").length, ...npm.registry.tags],
    };
  },
  async oci(around) {
    const member = memberOfImage("app", IMAGE, "1.0");
    const images = openImages([member], { around });
    await push(images.from.client, "app", { image: IMAGE });
    const place = images.to.client.repository("mirror/app");
    return { release: images.open(), shown: async () => (await place.findManifest("1.0"))?.digest };
  },
};

const SHOWN: Readonly<Record<string, unknown>> = {
  nuget: 1,
  npm: [1, ["latest", "1.0.0"]],
  oci: IMAGE.digest,
};

test.each(
  Object.keys(TARGETS).flatMap((protocol) => [
    [protocol, "before"] as const,
    [protocol, "after"] as const,
  ]),
)("%s: a cut %s any request repeats nothing", async (protocol, when) => {
  let isReached = true;
  for (let number = 1; isReached; number++) {
    const cuts = cutting(number, when);
    const opened = await TARGETS[protocol]?.(cuts.around);
    if (!opened) throw new Error(`There is no ${protocol}`);
    const { release, shown } = opened;
    await release.open();
    expect([number, (await release.runToEnd()).state]).toEqual([number, "released"]);
    isReached = cuts.isReached();
    expect([number, await shown()]).toEqual([number, SHOWN[protocol]]);
  }
});

test.each(Object.keys(TARGETS))(
  "%s: credentials that are revoked before any request pause the target",
  async (protocol) => {
    let isReached = true;
    for (let number = 1; isReached; number++) {
      const revoked = refusing(401, number, Number.POSITIVE_INFINITY);
      const opened = await TARGETS[protocol]?.(revoked.around);
      if (!opened) throw new Error(`There is no ${protocol}`);
      const { release, shown } = opened;
      release.probe.status = "unauthorized";
      await release.open();
      await release.run();
      isReached = revoked.isReached();
      expect(["released", "failed"]).not.toContain(isReached && (await release.found()).state);
      revoked.end();
      release.paused.clear();
      expect([number, (await release.runToEnd()).state]).toEqual([number, "released"]);
      expect([number, await shown()]).toEqual([number, SHOWN[protocol]]);
    }
  },
);

/** A refused removal of the release's own tag leaves it, which the item notes. */
const RELEASED: Readonly<Record<string, unknown>> = {
  ...SHOWN,
  npm: expect.arrayContaining([1, ["latest", "1.0.0"]]),
};

/** After a release that was rolled back: a push that was refused, no tags. */
const ROLLED_BACK: Readonly<Record<string, unknown>> = {
  nuget: expect.any(Number),
  npm: [expect.any(Number)],
  oci: undefined,
};

test.each(Object.keys(TARGETS))(
  "%s: a refusal of any request ends with all or nothing",
  async (protocol) => {
    let isReached = true;
    for (let number = 1; isReached; number++) {
      const refused = refusing(400, number);
      const opened = await TARGETS[protocol]?.(refused.around);
      if (!opened) throw new Error(`There is no ${protocol}`);
      const { release, shown } = opened;
      await release.open();
      const { state } = await release.runToEnd();
      isReached = refused.isReached();
      refused.end();
      const expected = state === "released" ? RELEASED : ROLLED_BACK;
      expect([number, state, await shown()]).toEqual([
        number,
        expect.stringMatching(/^(?:released|rolled-back|failed)$/),
        expected[protocol],
      ]);
    }
  },
);
