import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Cidr } from "@parley/a2a";
import { clientAddressOf, isOneOf, networkOf } from "./client-address.ts";

/** How many connections a port has open, and how many of them one address may have without showing who it is. */
export interface ConnectionCounts {
  readonly connections: number;
  readonly guestsPerAddress: number;
}

/** Beyond all other connections, for probes alone. */
const RESERVED = 100;
const PROBES = /^\/(healthz|readyz)\/?$/;

/** One connection, and what is going on there. */
interface Connection {
  /** By what it is counted; undefined: a trusted proxy's, whose requests are counted instead. */
  readonly address: string | undefined;
  readonly isReserved: boolean;
  /** Requests that are being answered. */
  answers: number;
  /** Those of them from somebody who has shown who they are. */
  vouched: number;
}

const bySocket = new WeakMap<Socket, Connections>();

/** Says that a request comes from somebody who has shown who they are: while it is answered, they are not its address's guest. */
export function vouchFor(request: IncomingMessage, response: ServerResponse): void {
  bySocket.get(request.socket)?.vouch(request, response);
}

/**
 * The open connections of a port. One that waits for a request makes room for a newer one, first among those of its own
 * address: so silent connections, however many, keep nobody out, and nobody pays for another address.
 */
export class Connections {
  readonly #limits: ConnectionCounts;
  readonly #trusted: readonly Cidr[];
  readonly #open = new Map<Socket, Connection>();
  /** Those that wait for a request, the longest first: in the reserve, all others, and of each address. */
  readonly #waitingInReserve = new Set<Socket>();
  readonly #waiting = new Set<Socket>();
  readonly #waitingAt = new Map<string, Set<Socket>>();
  readonly #guests = new Map<string, number>();
  /** Requests by way of a trusted proxy that count as a guest of their client's address. */
  readonly #proxied = new WeakMap<IncomingMessage, string>();

  constructor(limits: ConnectionCounts, trusted: readonly Cidr[] = []) {
    this.#limits = limits;
    this.#trusted = trusted;
  }

  /** Takes a new connection, or closes it at once. */
  add(socket: Socket): void {
    const { remoteAddress = "" } = socket;
    const plain = remoteAddress.replace(/^::ffff:/i, "");
    const address = isOneOf(this.#trusted, plain) ? undefined : networkOf(plain);
    if (address !== undefined && this.#isFull(address) && !this.#evict(this.#waitingAt.get(address)))
      return void socket.destroy();
    const { connections } = this.#limits;
    const isReserved = this.#open.size >= connections && !this.#evict(this.#waiting);
    // Only when the reserve is full does one probe make room for another: those that come at once are all heard.
    if (this.#open.size >= connections + RESERVED && !this.#evict(this.#waitingInReserve))
      return void socket.destroy();
    const connection = { address, isReserved, answers: 0, vouched: 0 };
    this.#open.set(socket, connection);
    bySocket.set(socket, this);
    this.#count(address, 1);
    this.#wait(socket, connection);
    socket.once("close", () => this.#remove(socket));
  }

  /** Whether an answer is being written there. */
  isAnswering(socket: Socket): boolean {
    return (this.#open.get(socket)?.answers ?? 0) > 0;
  }

  /** Notes that a request is being answered; false: there are too many, and it is to be told so. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket, url = "" } = request;
    const connection = this.#open.get(socket);
    if (!connection) return true;
    connection.answers++;
    this.#unwait(socket, connection);
    const client = connection.address === undefined ? networkOf(clientAddressOf(request)) : undefined;
    const isRefused = client !== undefined && this.#isFull(client);
    if (client !== undefined && !isRefused) {
      this.#proxied.set(request, client);
      this.#count(client, 1);
    }
    response.once("close", () => {
      this.#count(this.#proxied.get(request), -1);
      if (--connection.answers === 0 && this.#open.has(socket)) this.#wait(socket, connection);
    });
    const [path = ""] = url.split("?", 1);
    return !isRefused && (!connection.isReserved || PROBES.test(path));
  }

  vouch(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (!connection) return;
    this.#count(this.#proxied.get(request), -1);
    this.#proxied.delete(request);
    if (connection.vouched++ === 0) this.#count(connection.address, -1);
    response.once("close", () => {
      if (--connection.vouched === 0 && this.#open.has(request.socket)) this.#count(connection.address, 1);
    });
  }

  #isFull(address: string): boolean {
    return (this.#guests.get(address) ?? 0) >= this.#limits.guestsPerAddress;
  }

  #evict(waiting: ReadonlySet<Socket> | undefined): boolean {
    const [longest] = waiting ?? [];
    if (!longest) return false;
    this.#remove(longest);
    longest.destroy();
    return true;
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    this.#unwait(socket, connection);
    if (connection.vouched === 0) this.#count(connection.address, -1);
  }

  #wait(socket: Socket, { address, isReserved }: Connection): void {
    (isReserved ? this.#waitingInReserve : this.#waiting).add(socket);
    if (address === undefined) return;
    const own = this.#waitingAt.get(address) ?? new Set();
    this.#waitingAt.set(address, own.add(socket));
  }

  #unwait(socket: Socket, { address = "" }: Connection): void {
    this.#waiting.delete(socket);
    this.#waitingInReserve.delete(socket);
    const own = this.#waitingAt.get(address);
    own?.delete(socket);
    if (own?.size === 0) this.#waitingAt.delete(address);
  }

  #count(address: string | undefined, change: 1 | -1): void {
    if (address === undefined) return;
    const guests = (this.#guests.get(address) ?? 0) + change;
    if (guests > 0) this.#guests.set(address, guests);
    else this.#guests.delete(address);
  }
}
