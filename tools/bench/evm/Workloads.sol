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

    function precompiles(uint256 n) external view returns (bytes32 h) {
        for (uint256 i = 0; i < n; i++) {
            h = sha256(abi.encode(h, i));
            ecrecover(h, 27, h, bytes32(uint256(i + 1)));
        }
    }
}
