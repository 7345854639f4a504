export function namespacePrefix(folder: string): string;
export function removeNamespaces(folder: string): void;
