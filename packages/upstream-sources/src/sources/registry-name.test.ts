import { expect, test } from "vitest";
import {
  isNameOfHub,
  isPrefixOf,
  nameWithinSource,
  registryNameIn,
  registryNameOf,
  registryNamesOf,
  registryPrefixOf,
  registryUrlOf,
  repositoryAtRegistry,
} from "./registry-name.ts";

test.each([
  ["docker.io", "docker.io"],
  ["index.docker.io", "docker.io"],
  ["registry-1.docker.io", "docker.io"],
  ["hub.docker.io", "hub.docker.io"],
  ["ghcr.io", "ghcr.io"],
  ["registry.example:5000", "registry.example:5000"],
])("the registry at %s is %s", (host, expected) => {
  expect(registryNameOf({ host })).toBe(expected);
});

test.each([
  ["hub", "https://docker.io", ["docker.io"]],
  ["docker.io", "https://mirror.example", ["mirror.example", "docker.io"]],
  ["GHCR.io", "https://mirror.example", ["mirror.example", "ghcr.io"]],
  ["plain", "https://mirror.example:81", ["mirror.example:81"]],
])("the source %s at %s is for %j", (name, url, expected) => {
  expect(registryNamesOf({ name, url: new URL(url) })).toEqual(expected);
});

test.each([
  ["GHCR.IO", "ghcr.io"],
  ["ghcr.io:443", "ghcr.io"],
  ["ghcr.io:80", "ghcr.io"],
  ["ghcr.io:8080", "ghcr.io:8080"],
  ["index.docker.io", "docker.io"],
  ["localhost:5000", "localhost:5000"],
  ["", undefined],
  ["https://ghcr.io", undefined],
  ["ghcr.io/team", undefined],
  ["ghcr.io:999999", undefined],
  ["-a.example", undefined],
  ["a..example", undefined],
  ["a@b.example", undefined],
  ["a b", undefined],
  ["[::1]:5000", undefined],
])("ns=%s names the registry %s", (text, expected) => {
  expect(registryNameIn(text)).toBe(expected);
});

test.each([
  ["registry.example:5000", "registry.example-5000", true],
  ["docker.io", "docker.io", true],
  ["docker.io", "index.docker.io", true],
  ["docker.io", "docker-io", false],
  ["[::1]:5000", "1-5000", true],
  ["ghcr.io", "ghcr.io.example", false],
])("repositories of %s may begin with %s: %s", (registry, first, expected) => {
  expect(isPrefixOf(registry, first)).toBe(expected);
  expect(registryPrefixOf(registry)).toMatch(/^[a-z0-9][a-z0-9.-]*[a-z0-9]$/);
});

test.each([
  ["docker.io", "alpine", "library/alpine"],
  ["docker.io", "team/app", "team/app"],
  ["ghcr.io", "alpine", "alpine"],
])("at %s, %s is %s", (registry, name, expected) => {
  expect(repositoryAtRegistry(registry, name)).toBe(expected);
  const source = { name: registry, url: new URL("https://mirror.example/path") };
  expect(nameWithinSource(source, name)).toBe(expected);
});

test.each([
  ["https://docker.io/", "https://registry-1.docker.io/"],
  ["https://index.docker.io/v2/", "https://registry-1.docker.io/v2/"],
  ["https://ghcr.io/", "https://ghcr.io/"],
])("the registry of %s has the address %s", (url, expected) => {
  expect(registryUrlOf(new URL(url)).href).toBe(expected);
});

test.each([
  ["docker.io", "library/alpine", true],
  ["docker.io", "team/app", false],
  ["ghcr.io", "library/alpine", false],
])("clients of %s ask for %s as an image of Docker Hub: %s", (registry, name, expected) => {
  const source = { name: "s", url: new URL(`https://${registry}`) };
  expect(isNameOfHub(source, name)).toBe(expected);
});
