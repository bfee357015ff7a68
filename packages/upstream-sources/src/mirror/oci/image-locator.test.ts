import { parseRepositoryName } from "@sealhouse/oci-distribution";
import { expect, test } from "vitest";
import { repositoryAtSource, registryUrlOf } from "../../sources/registry-name.ts";
import { repositoryHere, wantedImage } from "./image-locator.ts";

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
  ["hub/docker.io/alpine", "alpine", "hub", "docker.io"],
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
  ["https://registry-1.docker.io", "alpine", "library/alpine"],
  ["https://docker.io", "team/app", "team/app"],
  ["https://ghcr.io/team/", "app", "team/app"],
  ["https://registry.example/v2/", "app", "app"],
])("%s has %s as %s", (url, name, expected) => {
  expect(repositoryAtSource({ url: new URL(url) }, name)).toBe(expected);
});

test("Docker Hub is called by the name of its registry", () => {
  expect(registryUrlOf(new URL("https://docker.io/")).href).toBe("https://registry-1.docker.io/");
});
