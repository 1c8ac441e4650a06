/** Settings of {@link createEngine}. */
export interface EngineOptions {
  /**
   * The module, or its address relative to the page or the working directory, instead of the file of this package: for sites that keep it
   * elsewhere.
   */
  wasm?: string | URL | BufferSource | WebAssembly.Module;
  /** True to use the module with SIMD instructions. Default: true where they are available. */
  simd?: boolean;
  /** The address of `browser-worker.js` (in Node, `node-worker.js`), for sites that keep it elsewhere. */
  worker?: string | URL;
}

/** An internal error. The engine has ended; its memory is free. */
export interface EngineErrorEvent extends Event {
  readonly message: string;
  readonly error: Error;
}

export interface EngineEventMap {
  /** A line of the engine, as `data`. */
  message: MessageEvent<string>;
  error: EngineErrorEvent;
}

/** An engine in a worker. It speaks UCI. */
export interface Engine extends EventTarget {
  /**
   * Sends a line, or several separated by line ends. `stop` and `ponderhit` reach a running search at once; `isready` is answered at once.
   * `quit` is `terminate`.
   * @throws TypeError for anything but text, Error after the engine has ended
   */
  postMessage(line: string): void;
  /** Ends the worker at once, also during a search, and frees its memory. No line comes after that. */
  terminate(): void;
  onmessage: ((event: MessageEvent<string>) => void) | null;
  /** Without it and without a listener for `error`, errors go to the console. */
  onerror: ((event: EngineErrorEvent) => void) | null;
  addEventListener<Type extends keyof EngineEventMap>(
    type: Type,
    listener: (event: EngineEventMap[Type]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<Type extends keyof EngineEventMap>(
    type: Type,
    listener: (event: EngineEventMap[Type]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | EventListenerOptions): void;
}

/**
 * Starts an engine in a separate worker. The module is compiled once for all engines.
 * Rejects with the reason and the remedy if WebAssembly or workers are missing, or if a file cannot be read.
 */
export function createEngine(options?: EngineOptions): Promise<Engine>;
