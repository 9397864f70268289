/** A promise to be settled from outside. Nobody has to listen: a rejection that nobody catches is no error. */
export class Promised<T> {
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

/** The same that is refused from the beginning. */
export function rejected<T>(error: Error): Promise<T> {
  const promised = new Promised<T>();
  promised.reject(error);
  return promised.promise;
}
