import { expect, test } from "vitest";
import { isTargetFramework } from "./target-framework.ts";

// What NuGet.Frameworks 7.9 knows, and what it calls "unsupported".
test.each([
  ..."net8.0 net8.0-windows7.0 net8.0-windows net8.0-ios17.2 net8.0-android34.0.1 net10.0".split(
    " ",
  ),
  ..."net8 net45 net461 net45-client net netstandard2.0 .NETStandard2.0 .NETFramework4.6.1".split(
    " ",
  ),
  ..."netcoreapp3.1 .NETCoreApp3.1 netcore50 portable-net45+win8 .NETPortable0.0-Profile259".split(
    " ",
  ),
  ..."any agnostic native uap10.0 MonoAndroid10 Xamarin.iOS10 xamarinios10 monotouch tizen40".split(
    " ",
  ),
  ..."dotnet5.4 .NETPlatform5.4 sl5 wp8 wpa81 win8 winrt45 dnxcore50 aspnetcore50 netnano1.0".split(
    " ",
  ),
  ".NETFramework,Version=v4.5,Profile=Client",
  "Silverlight,Version=v4.0,Profile=WindowsPhone71",
  ".NETStandard,Version=v2.0",
])("knows %s", (text) => expect(isTargetFramework(text)).toBe(true));

test.each([
  "",
  "unsupported",
  "foo1.0",
  "net4.5.1.2.3",
  "net8.0-",
  "..",
  "net 45",
  "net45 ",
  "foo,Version=v1.0",
  ".NETFramework,Version=x",
  `net${"1".repeat(300)}`,
])("does not know %j", (text) => expect(isTargetFramework(text)).toBe(false));
