export declare function freePort(): Promise<number>;
export declare function isFree(port: number): Promise<boolean>;
