/** Subjects of events, as the page about events describes them. */
export const PACKAGE = "`nuget/Id@version`, `npm/name@version` or `oci/repository:tag`";
export const NPM_NAME = "`npm/name`";
export const OWNED_NAME = "`nuget/id`, `npm/name` or `oci/repository`";
