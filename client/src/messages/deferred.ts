/** A promise that is settled from outside. A rejection without a handler is not reported as uncaught. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  resolve: (value: T) => void = () => {};
  reject: (error: Error) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.promise.catch(() => {});
  }
}

/** Such a promise, already rejected. */
export function rejected<T>(error: Error): Promise<T> {
  const deferred = new Deferred<T>();
  deferred.reject(error);
  return deferred.promise;
}
