import { expect, test } from "vitest";
import { packageFrameworks } from "../push/package-frameworks.ts";
import { shortFrameworkName } from "./target-framework-names.ts";
import { acceptedKeys, frameworkKeys } from "./target-framework-support.ts";

test.each([
  [".NETFramework4.7.2", "net472"],
  [".NETFramework,Version=v4.7.2", "net472"],
  ["net4.7.2", "net472"],
  ["net472", "net472"],
  ["net45", "net45"],
  ["net40-client", "net40-client"],
  [".NETFramework,Version=v4.0,Profile=Client", "net40-client"],
  ["net5", "net5.0"],
  ["net8.0", "net8.0"],
  ["net10.0", "net10.0"],
  [".NETCoreApp,Version=v8.0", "net8.0"],
  ["NET8.0-Windows7.0", "net8.0-windows7.0"],
  ["net8.0-windows10.0.19041", "net8.0-windows10.0.19041"],
  [".NETCoreApp3.1", "netcoreapp3.1"],
  [".NETStandard2.0", "netstandard2.0"],
  [".NETStandard,Version=v2.0", "netstandard2.0"],
  ["netstandard20", "netstandard2.0"],
  ["uap10.0", "uap10.0"],
  ["uap10.0.16299", "uap10.0.16299"],
  ["win8", "win8"],
  ["Silverlight,Version=v5.0", "sl5"],
  ["MonoAndroid10", "monoandroid10"],
  ["Xamarin.iOS10", "xamarinios10"],
  ["portable-net45+win8", "portable-net45+win8"],
  ["any", "any"],
  ["no framework", "no framework"],
])("calls %s %s", (text, name) => expect(shortFrameworkName(text)).toBe(name));

/** Whether a project of the first framework can use a package for the others. */
function canUse(project: string, ...names: readonly string[]): boolean {
  const keys = frameworkKeys(names.map(shortFrameworkName));
  return acceptedKeys(project).some((key) => keys.includes(key));
}

test.each([
  ["net8.0", "net8.0"],
  ["net8.0", "net6.0"],
  ["net8.0", "netcoreapp3.1"],
  ["net8.0", "netstandard2.0"],
  ["net8.0", "netstandard1.3"],
  ["net8.0-windows", "net8.0"],
  ["net8.0-windows7.0", "net6.0-windows"],
  ["net8.0-windows10.0.19041", "net8.0-windows7.0"],
  ["net12.0", "net8.0"],
  ["net12.0-android", "net8.0-android"],
  ["netcoreapp2.1", "netstandard2.0"],
  ["netcoreapp3.0", "netstandard2.1"],
  ["net472", "net45"],
  ["net472", "netstandard2.0"],
  ["net461", "netstandard2.0"],
  ["net45", "netstandard1.1"],
  ["net45", "portable-net45+win8"],
  ["win8", "portable-net45+win8"],
  ["netstandard2.1", "netstandard2.0"],
  ["uap10.0.19041", "netstandard2.0"],
  ["xamarinios10", "netstandard2.0"],
  [".NETFramework,Version=v4.8", "net40"],
  ["native", "native"],
])("%s can use a package for %s", (project, name) => expect(canUse(project, name)).toBe(true));

test.each([
  ["net6.0", "net8.0"],
  ["net8.0", "net472"],
  ["net8.0", "net8.0-windows"],
  ["net8.0-android", "net8.0-windows"],
  ["net46", "netstandard2.0"],
  ["net48", "netstandard2.1"],
  ["netstandard2.0", "net8.0"],
  ["netcoreapp2.0", "netstandard2.1"],
  ["uap10.0", "netstandard2.0"],
  ["net8.0", "native"],
  ["net8.0", "portable-net45+win8"],
])("%s cannot use a package for %s", (project, name) => expect(canUse(project, name)).toBe(false));

test("a package without frameworks supports all of them", () => {
  for (const project of ["net8.0", "net20", "native", "who knows"]) {
    expect(canUse(project)).toBe(true);
    expect(canUse(project, "any")).toBe(true);
  }
});

test("finds the frameworks of a package in its groups and in the folders of its files", () => {
  const group = { targetFramework: ".NETFramework4.7.2", dependencies: [] };
  const paths = [
    "Acme.nuspec",
    "lib/netstandard2.0/Acme.dll",
    "LIB/net8.0-windows7.0/Acme.dll",
    "lib/portable-net45%2Bwin8/Acme.dll",
    "lib/Acme.dll",
    "lib/de/Acme.dll",
    "ref/net6.0/Acme.dll",
    "runtimes/linux-x64/lib/net7.0/Acme.dll",
    "runtimes/linux-x64/native/acme.so",
    "build/net9.0/Acme.props",
    "build/Acme.targets",
    "buildTransitive/net5.0/Acme.props",
    "tools/netcoreapp3.1/any/Acme.dll",
    "tools/install.ps1",
    "contentFiles/cs/netcoreapp2.1/a.cs",
    "contentFiles/any/any/a.txt",
    "src/net1.1/a.cs",
  ];
  expect(packageFrameworks([group, { dependencies: [] }], paths)).toEqual([
    "net472",
    "net5.0",
    "net6.0",
    "net7.0",
    "net8.0-windows7.0",
    "net9.0",
    "netcoreapp2.1",
    "netcoreapp3.1",
    "netstandard2.0",
    "portable-net45+win8",
  ]);
  expect(packageFrameworks([], ["lib/Acme.dll", "contentFiles/any/any/a.txt"])).toEqual([]);
});
