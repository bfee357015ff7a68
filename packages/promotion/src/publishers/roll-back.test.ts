import { buildImage } from "@sealhouse/oci-distribution/testing";
import { expect, test } from "vitest";
import { createScriptedTarget, openScripted } from "../release/scripted-target.test.support.ts";
import { memberOfImage, openImages, push, refusal } from "./scripted-images.test.support.ts";
import { openNpm } from "./scripted-npm.test.support.ts";

// A release to stand-ins for two registries, of which the second refuses its last step.

const TARBALL = Buffer.from("tarball");
const IMAGE = buildImage();

test("a refused tag at one target takes back versions and tags at the others", async () => {
  const stored = { answer: () => Response.json({}, { status: 201 }), stores: TARBALL };
  const npm = openNpm(TARBALL, { publishes: [stored] });
  npm.registry.tags.set("latest", "0.9.0");
  const image = memberOfImage("app", IMAGE, "1.0");
  const images = openImages([image]);
  await push(images.from.client, "app", { image: IMAGE });
  images.to.instead = (call) =>
    call.startsWith("PUT") && call.endsWith("/manifests/1.0")
      ? refusal(409, "DENIED", "the tag is locked")
      : undefined;
  const targets = [
    { ...createScriptedTarget("npm"), target: npm.target, publisher: npm.publisher },
    { ...createScriptedTarget("images"), target: images.target, publisher: images.publisher() },
  ];
  const { open, runToEnd } = openScripted(targets, { members: [npm.member, image] });
  await open();
  const { state, reason, items } = await runToEnd();
  expect([state, reason]).toEqual(["rolled-back", expect.stringContaining("the tag is locked")]);
  expect(items.map((item) => item.state)).toEqual(["undone", "undone"]);
  expect([...npm.registry.tags]).toEqual([["latest", "0.9.0"]]);
  expect(npm.calls("DELETE /@acme/bar/-rev/1")).toHaveLength(1);
  expect(await images.to.client.repository("mirror/app").findManifest("1.0")).toBeUndefined();
});
