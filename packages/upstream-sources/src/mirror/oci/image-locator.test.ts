import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { expect, test } from "vitest";
import { repositoryAtSource, registryUrlOf } from "../../sources/registry-name.ts";
import { createSource } from "../../sources/create-source.ts";
import type { SourceParts } from "../../sources/create-source.ts";
import { repositoryHere, wantedImage } from "./image-locator.ts";
import { sourceOfName } from "./names-of-sources.ts";

const sources = [
  { name: "hub", url: new URL("https://registry-1.docker.io") },
  { name: "ghcr", url: new URL("https://ghcr.io/team") },
  { name: "local", url: new URL("http://127.0.0.1:5000/") },
  { name: "Mirrored.example", url: new URL("https://proxy.example") },
];
const places = { segments: ["hub"], sources };

test.each([
  ["team/app", "team/app", undefined, undefined],
  ["hub/team/app", "team/app", "hub", undefined],
  ["docker.io/library/alpine", "library/alpine", undefined, "docker.io"],
  ["hub/docker.io/alpine", "library/alpine", "hub", "docker.io"],
  ["docker.io/alpine", "library/alpine", undefined, "docker.io"],
  ["index.docker.io/library/alpine", "library/alpine", undefined, "docker.io"],
  ["registry-1.docker.io/team/app", "team/app", undefined, "docker.io"],
  ["ghcr.io/app", "app", undefined, "ghcr.io"],
  ["127.0.0.1-5000/app", "app", undefined, "127.0.0.1:5000"],
  ["mirrored.example/app", "app", undefined, "mirrored.example"],
  ["docker.io", "docker.io", undefined, undefined],
  ["quay.io/team/app", "quay.io/team/app", undefined, undefined],
])("sources are asked for %s as %s", (name, nameAtSource, surface, registry) => {
  const wanted = wantedImage(parseRepositoryName(name), places);
  expect(wanted).toEqual({
    protocol: "oci",
    name,
    nameAtSource,
    ...(surface !== undefined && { surface }),
    ...(registry !== undefined && { registry }),
  });
});

test.each([
  ["docker.io", "library/alpine", "docker.io/library/alpine"],
  ["index.docker.io", "library/alpine", "docker.io/library/alpine"],
  ["registry-1.docker.io", "alpine", "docker.io/library/alpine"],
  ["GHCR.io", "hub/app", "hub/ghcr.io/app"],
  ["127.0.0.1:5000", "app", "127.0.0.1-5000/app"],
  ["ghcr.io:443", "app", "ghcr.io/app"],
  ["mirrored.example", "app", "mirrored.example/app"],
  ["quay.io", "app", undefined],
  ["https://ghcr.io", "app", undefined],
  ["ghcr.io/x", "app", undefined],
  ["", "app", undefined],
])("ns=%s of %s is %s", (ns, name, expected) => {
  expect(repositoryHere(ns, parseRepositoryName(name), places)).toBe(expected);
});

test.each([
  ["s", "https://registry-1.docker.io", "alpine", "library/alpine"],
  ["s", "https://docker.io", "team/app", "team/app"],
  ["s", "https://docker.io/library", "alpine", "library/alpine"],
  ["s", "https://ghcr.io/team/", "app", "team/app"],
  ["s", "https://registry.example/v2/", "app", "app"],
  ["docker.io", "https://mirror.example", "alpine", "library/alpine"],
  ["index.docker.io", "https://mirror.example/hub", "alpine", "hub/library/alpine"],
  ["registry-1.docker.io", "https://mirror.example", "team/app", "team/app"],
])("the source %s at %s has %s as %s", (source, url, name, expected) => {
  expect(repositoryAtSource({ name: source, url: new URL(url) }, name)).toBe(expected);
});

const sourceAt = (name: string, url: string, more: Partial<SourceParts> = {}) =>
  createSource({ name, protocol: "oci", url, from: "database", ...more });

test.each([
  ["docker.io/library/sh", "hub"],
  ["docker.io/sh", "hub"],
  ["index.docker.io/team/app", "hub"],
  ["hub/registry-1.docker.io/library/sh", "hub"],
  ["library/sh", "hub"],
  ["denied/app", undefined],
  ["docker.io/denied/app", "hub"],
  ["team/app", undefined],
  ["sh", undefined],
  ["disabled.example/app", "disabled.example"],
  ["partner/app", "partner"],
  ["partner/app/more", "partner"],
  ["downstream.example/app", undefined],
])("a push to %s would replace an image of the source %s", (name, source) => {
  const all = [
    sourceAt("hub", "https://docker.io", { settings: { deny: ["denied/**"] } }),
    sourceAt("disabled.example", "https://proxy.example", { isEnabled: false }),
    sourceAt("partner", "https://partner.example", { settings: { allow: ["partner/**", "**"] } }),
  ];
  const found = sourceOfName(parseRepositoryName(name), { segments: ["hub"], sources: all });
  expect(found?.name).toBe(source);
});

test("Docker Hub is called by the name of its registry", () => {
  expect(registryUrlOf(new URL("https://docker.io/")).href).toBe("https://registry-1.docker.io/");
});
