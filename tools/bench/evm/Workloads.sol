// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// What the benchmark of the engines runs: one loop each, of a kind that contracts have.
contract Workloads {
    mapping(uint256 => uint256) slots;
    mapping(address => uint256) balances;

    function arithmetic(uint256 n) external pure returns (uint256 x) {
        unchecked {
            x = 1;
            for (uint256 i = 0; i < n; i++) x = ((x * 6364136223846793005 + i) ^ (x >> 7)) % (2 ** 255 - 19);
        }
    }

    function memorySort(uint256 n) external pure returns (uint256) {
        unchecked {
            uint256[] memory a = new uint256[](n);
            for (uint256 i = 0; i < n; i++) a[i] = (i * 7919 + 13) % 10007;
            for (uint256 i = 0; i < n; i++)
                for (uint256 j = 0; j + 1 < n - i; j++)
                    if (a[j] > a[j + 1]) (a[j], a[j + 1]) = (a[j + 1], a[j]);
            return a[n / 2];
        }
    }

    function hashes(uint256 n) external pure returns (bytes32 h) {
        for (uint256 i = 0; i < n; i++) h = keccak256(abi.encode(h, i));
    }

    function storageLoop(uint256 n) external returns (uint256 x) {
        for (uint256 i = 0; i < n; i++) {
            slots[i % 16] += i;
            x += slots[(i + 3) % 16];
        }
    }

    function balancesOf(uint256 n) external view returns (uint256 sum) {
        for (uint256 i = 0; i < n; i++) sum += this.balanceOf(address(uint160(i + 1)));
    }

    function balanceOf(address owner) external view returns (uint256) {
        return balances[owner];
    }

    /// Amounts along a path of pairs with constant products, fees of 0.3 %.
    function quotes(uint256 n) external pure returns (uint256 amount) {
        amount = 10 ** 18;
        for (uint256 i = 0; i < n; i++) {
            uint256 reserveIn = 5 * 10 ** 24 + i;
            uint256 reserveOut = 10 ** 25 - i;
            uint256 withFee = amount * 997;
            amount = (withFee * reserveOut) / (reserveIn * 1000 + withFee) + 10 ** 9;
        }
    }

    /// Fixed-point vectors and square roots, as a ray tracer has them.
    function rays(uint256 n) external pure returns (int256 sum) {
        for (uint256 i = 1; i <= n; i++) {
            int256 x = int256(i) * 1000003;
            int256 y = int256(i * i) - 500000;
            int256 z = 77777777;
            int256 length = int256(root(uint256(x * x + y * y + z * z)));
            sum += (x * 1000000) / length - (y * 1000000) / length + (z * 1000000) / length;
        }
    }

    function root(uint256 x) internal pure returns (uint256 y) {
        uint256 z = (x + 1) / 2;
        y = x;
        while (z < y) {
            y = z;
            z = (x / z + z) / 2;
        }
    }

    struct Vector {
        int256 x;
        int256 y;
        int256 z;
    }
    struct Sphere {
        int256 radius;
        Vector position;
        Vector color;
    }

    /// A path tracer in fixed-point numbers, as SnailTracer is one: structs in memory, dot products, square roots, a scene that
    /// every ray is held against, and light that is thrown back.
    function paths(uint256 n) external pure returns (int256 sum) {
        Sphere[] memory scene = new Sphere[](5);
        for (uint256 i = 0; i < 5; i++) {
            int256 at = int256(i) * 1500000 - 3000000;
            scene[i] = Sphere(900000 + int256(i) * 50000, Vector(at, at / 3, 6000000 + at), Vector(750000, 250000 + at / 20, 500000));
        }
        uint256 random = 88172645463325252;
        for (uint256 i = 0; i < n; i++) {
            random = (random * 6364136223846793005 + 1442695040888963407) % 2 ** 64;
            Vector memory from = Vector(0, 0, 0);
            Vector memory way = unit(Vector(int256(random % 1200000) - 600000, int256((random >> 24) % 800000) - 400000, 1000000));
            int256 light = 1000000;
            for (uint256 bounce = 0; bounce < 3; bounce++) {
                (int256 distance, uint256 nearest) = closest(scene, from, way);
                if (distance == 0) break;
                Sphere memory hit = scene[nearest];
                from = sum3(from, scaled(way, distance));
                Vector memory normal = unit(sum3(from, scaled(hit.position, -1000000)));
                int256 facing = dot(normal, way);
                way = unit(sum3(way, scaled(normal, -2 * facing)));
                light = (light * hit.color.x) / 1000000;
                sum += (light * (facing < 0 ? -facing : facing)) / 1000000;
            }
        }
    }

    function closest(Sphere[] memory scene, Vector memory from, Vector memory way) internal pure returns (int256 distance, uint256 nearest) {
        for (uint256 i = 0; i < scene.length; i++) {
            Vector memory off = sum3(scene[i].position, scaled(from, -1000000));
            int256 b = dot(off, way);
            int256 rest = (b * b) / 1000000 - dot(off, off) + (scene[i].radius * scene[i].radius) / 1000000;
            if (rest < 0) continue;
            int256 t = b - int256(root(uint256(rest) * 1000000));
            if (t > 1000 && (distance == 0 || t < distance)) (distance, nearest) = (t, i);
        }
    }

    function dot(Vector memory a, Vector memory b) internal pure returns (int256) {
        return (a.x * b.x + a.y * b.y + a.z * b.z) / 1000000;
    }

    function sum3(Vector memory a, Vector memory b) internal pure returns (Vector memory) {
        return Vector(a.x + b.x, a.y + b.y, a.z + b.z);
    }

    function scaled(Vector memory a, int256 by) internal pure returns (Vector memory) {
        return Vector((a.x * by) / 1000000, (a.y * by) / 1000000, (a.z * by) / 1000000);
    }

    function unit(Vector memory a) internal pure returns (Vector memory) {
        int256 length = int256(root(uint256(a.x * a.x + a.y * a.y + a.z * a.z)));
        return Vector((a.x * 1000000) / length, (a.y * 1000000) / length, (a.z * 1000000) / length);
    }

    /// Products of 512 bits, as the prices of Uniswap V3 are made.
    function products(uint256 n) external pure returns (uint256 x) {
        unchecked {
            x = 2 ** 255 + 12345;
            for (uint256 i = 0; i < n; i++) x = addmod(mulmod(x, x, 2 ** 256 - 189), x, 2 ** 255 - 19 + i);
        }
    }

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfers(uint256 n) external {
        balances[address(this)] = n;
        for (uint256 i = 0; i < n; i++) this.transfer(address(uint160((i % 64) + 1)), 1);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 balance = balances[msg.sender];
        require(balance >= value, "balance too low");
        unchecked {
            balances[msg.sender] = balance - value;
            balances[to] += value;
        }
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function precompiles(uint256 n) external view returns (bytes32 h) {
        for (uint256 i = 0; i < n; i++) {
            h = sha256(abi.encode(h, i));
            ecrecover(h, 27, h, bytes32(uint256(i + 1)));
        }
    }

    /// What a Groth16 verifier asks for: sums and multiples of points of alt_bn128, and a pairing check.
    function proofs(uint256 n) external view returns (uint256 x) {
        uint256 y = 2;
        x = 1;
        for (uint256 i = 0; i < n; i++) {
            (x, y) = multiple(x, y, 3 + i);
            (x, y) = sum(x, y);
            require(pairing(1, 2), "no pairing");
        }
    }

    function multiple(uint256 x, uint256 y, uint256 factor) private view returns (uint256, uint256) {
        return abi.decode(ask(7, abi.encode(x, y, factor)), (uint256, uint256));
    }

    function sum(uint256 x, uint256 y) private view returns (uint256, uint256) {
        return abi.decode(ask(6, abi.encode(x, y, uint256(1), uint256(2))), (uint256, uint256));
    }

    /// e(P, Q) e(-P, Q) = 1
    function pairing(uint256 x, uint256 y) private view returns (bool) {
        uint256 field = 21888242871839275222246405745257275088696311157297823662689037894645226208583;
        uint256[4] memory q = [
            11559732032986387107991004021392285783925812861821192530917403151452391805634,
            10857046999023057135944570762232829481370756359578518086990519993285655852781,
            4082367875863433681332203403145435568316851327593401208105741076214120093531,
            8495653923123431417604973247489272438418190587263600148770280649306958101930
        ];
        return abi.decode(ask(8, abi.encode(x, y, q, x, field - y, q)), (bool));
    }

    /// EIP-152: 50,000 rounds in each.
    function blake2(uint256 n) external view returns (bytes32 h) {
        for (uint256 i = 0; i < n; i++)
            h = bytes32(ask(9, abi.encodePacked(uint32(50000), h, h, h, h, h, h, uint128(i), bytes1(0x01))));
    }

    function ask(uint160 precompile, bytes memory input) private view returns (bytes memory) {
        (bool done, bytes memory output) = address(precompile).staticcall(input);
        require(done, "no answer");
        return output;
    }
}
