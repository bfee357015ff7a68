/** Identifiers NuGet knows, in long form and as short folder names, lower-cased. */
const IDENTIFIERS: ReadonlySet<string> = new Set(
  `any agnostic native
  .netframework net .netcoreapp netcoreapp .netstandard netstandard .netstandardapp netstandardapp
  .netplatform dotnet .netcore netcore .netportable portable .netmicroframework netmf
  .netnanoframework netnano windows win winrt windowsphone wp windowsphoneapp wpa uap
  silverlight sl dnx dnxcore asp.net aspnet asp.netcore aspnetcore tizen
  monoandroid monotouch monomac xamarin.ios xamarinios xamarin.mac xamarinmac
  xamarin.tvos xamarintvos xamarin.watchos xamarinwatchos xamarin.playstation xamarinpsthree
  xamarinpsfour xamarin.playstationvita xamarinpsvita
  xamarin.xbox xamarinxboxthreesixty xamarin.xboxone xamarinxboxone`.split(/\s+/),
);
const TEXT_LENGTH_MAX = 256;
const LONG = /^([^,]+)(?:,\s*version\s*=\s*v?\d+(?:\.\d+){0,3})?(?:,\s*profile\s*=\s*[^,]+)?$/i;
const SHORT = /^([a-z.]+)(\d+(?:\.\d+){0,3})?(?:-([a-z0-9.+]+))?$/i;

/**
 * True when clients recognise the framework: `net8.0`, `net8.0-windows7.0`, `.NETFramework4.6.1`,
 * `.NETStandard,Version=v2.0`, `portable-net45+win8`. They call others "unsupported" and ignore the
 * whole dependency group, so such a package is refused.
 */
export function isTargetFramework(text: string): boolean {
  if (text.length > TEXT_LENGTH_MAX) return false;
  if (text.includes(",")) return IDENTIFIERS.has(LONG.exec(text)?.[1]?.trim().toLowerCase() ?? "");
  const match = SHORT.exec(text);
  return match !== null && IDENTIFIERS.has((match[1] ?? "").toLowerCase());
}
