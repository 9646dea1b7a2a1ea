import {
  type Attributes,
  createNoopMeter,
  type Meter,
  type ObservableCallback,
  type ObservableCounter,
} from "@opentelemetry/api";

type Recorded = readonly [attributes: Attributes, value: number];

/** For tests: a meter that records its measurements, without an SDK. */
export class RecordingMeter {
  readonly meter: Meter;
  readonly #told = new Map<string, Recorded[]>();
  readonly #callbacks = new Map<string, ObservableCallback>();

  constructor() {
    const tell =
      (name: string) =>
      (value: number, attributes: Attributes = {}) => {
        this.#told.set(name, [...(this.#told.get(name) ?? []), [attributes, value]]);
      };
    const silent = createNoopMeter();
    this.meter = {
      createCounter: (name) => ({ add: tell(name) }),
      createHistogram: (name) => ({ record: tell(name) }),
      createObservableCounter: (name, options) => {
        const counter: ObservableCounter = silent.createObservableCounter(name, options);
        return { ...counter, addCallback: (callback) => void this.#callbacks.set(name, callback) };
      },
      createUpDownCounter: (name, options) => silent.createUpDownCounter(name, options),
      createGauge: (name, options) => silent.createGauge(name, options),
      createObservableGauge: (name, options) => silent.createObservableGauge(name, options),
      createObservableUpDownCounter: (name, options) => silent.createObservableUpDownCounter(name, options),
      addBatchObservableCallback() {},
      removeBatchObservableCallback() {},
    };
  }

  /** The current value of an observable instrument with these labels. */
  observed(name: string, labels: Attributes): number | undefined {
    const wanted = JSON.stringify(labels);
    return this.#observe(name).find(([attributes]) => JSON.stringify(attributes) === wanted)?.[1];
  }

  /** All values added to a counter. */
  sums(name: string): readonly Recorded[] {
    return this.#told.get(name) ?? [];
  }

  values(name: string): number[] {
    return this.sums(name).map(([, value]) => value);
  }

  everything(): unknown {
    return [[...this.#told], [...this.#callbacks.keys()].map((name) => this.#observe(name))];
  }

  #observe(name: string): Recorded[] {
    const seen: Recorded[] = [];
    void this.#callbacks.get(name)?.({
      observe: (value, attributes = {}) => void seen.push([attributes, value]),
    });
    return seen;
  }
}
