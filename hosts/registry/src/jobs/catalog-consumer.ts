import type { Consumer } from "@sealhouse/events";
import type { CatalogPorts } from "@sealhouse/nuget-protocol/package";

/** Writes the NuGet catalog from the events, and hashes on the way what nobody has read yet.
 * Disposal lets the item in hand go: its events come again at the next start. */
export function openCatalogConsumer(
  ports: CatalogPorts,
  { signingEnabled }: { readonly signingEnabled: boolean },
): Consumer & Disposable {
  const stop = new AbortController();
  return {
    name: "nuget-catalog",
    async handle(events) {
      const concerning = events.filter(({ subject }) => subject.startsWith("nuget/"));
      if (concerning.length === 0) return;
      // Reads manifests, which nobody needs who only starts.
      const { writeCatalog } = await import("@sealhouse/nuget-protocol/package");
      await writeCatalog(ports, concerning, { signingEnabled, signal: stop.signal });
    },
    [Symbol.dispose]: () => stop.abort(),
  };
}
