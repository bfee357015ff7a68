import { openScriptedImages, openScriptedRegistry } from "@sealhouse/upstream-sources/testing";
import { expect, test } from "vitest";
import { startHost } from "../../src/testing/index.ts";
import { addSources } from "./add-source.ts";
import { imageOf } from "./mirror-host.ts";

test("serves what sources with CacheOnly brought, and lists none of it", async () => {
  await using registry = await openScriptedRegistry();
  await using hub = await openScriptedImages();
  const image = imageOf("cached");
  for (const name of ["shown", "cached"]) {
    registry.publish(name, "1.0.0");
    hub.put(`${name}/app`, image, "1.0");
  }
  const env = {
    Signing__Mode: "",
    Feed__Oci__Default__Enabled: "true",
    Feed__Oci__Default__IncludeMirroredInCatalog: "true",
  };
  await using host = await startHost({ env });
  await addSources(
    host,
    (["IndexAndCache", "CacheOnly"] as const).flatMap((strategy) => {
      const name = strategy === "CacheOnly" ? "cached" : "shown";
      const images = { name: `${name}-images`, protocol: "oci", url: hub.url, strategy } as const;
      return [
        { name, protocol: "npm", url: registry.url, strategy, settings: { allow: [name] } },
        { ...images, settings: { allow: [`${name}/**`] } },
      ] as const;
    }),
  );
  const statusOf = async (path: string) => {
    const answer = await host.fetch(path);
    await answer.bytes();
    return answer.status;
  };
  for (const name of ["shown", "cached"]) {
    expect(await statusOf(`/npm/${name}/-/${name}-1.0.0.tgz`)).toBe(200);
    expect(await statusOf(`/v2/${name}/app/manifests/1.0`)).toBe(200);
  }
  await registry.stop();
  expect(await statusOf("/npm/cached/-/cached-1.0.0.tgz")).toBe(200);
  const search = await host.fetch("/npm/-/v1/search?text=");
  const { objects } = (await search.json()) as { objects: { package: { name: string } }[] };
  expect(objects.map((hit) => hit.package.name)).toEqual(["shown"]);
  const token = await host.makeToken({ scopes: "read" });
  const headers = { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
  const catalog = await host.fetch("/v2/_catalog", { headers });
  expect(await catalog.json()).toEqual({ repositories: ["shown/app"] });
}, 40_000);
