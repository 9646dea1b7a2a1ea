import type { ArtifactPositions } from "../dialects/dialect.ts";
import type { Artifact } from "../protocol/model.ts";

/** Numbers artifacts in the order in which they appear, after the ones that the task already has. */
export function artifactPositions(known: readonly Artifact[] = []): ArtifactPositions {
  const positions = new Map(known.map(({ artifactId }, position) => [artifactId, position]));
  return (artifactId) => {
    const position = positions.get(artifactId) ?? positions.size;
    positions.set(artifactId, position);
    return position;
  };
}
