import { type ColouredPiece, colouredCode } from "./coloured-code.ts";

/** Code that is to be coloured; the answer has the same number. */
export interface ColouringRequest {
  readonly number: number;
  readonly code: string;
  readonly language: string;
}

/** Without pieces, the code stays as it is. */
export interface ColouringAnswer {
  readonly number: number;
  readonly pieces?: readonly ColouredPiece[];
  readonly trouble?: string;
}

self.addEventListener("message", async ({ data }: MessageEvent<ColouringRequest>) => {
  const { number, code, language } = data;
  const answer = (rest: Omit<ColouringAnswer, "number">) => self.postMessage({ number, ...rest });
  try {
    const pieces = await colouredCode(code, language);
    answer(pieces ? { pieces } : {});
  } catch (error) {
    answer({ trouble: String(error) });
  }
});
