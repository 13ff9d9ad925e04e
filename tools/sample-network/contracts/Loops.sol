// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Uses gas: as much as it is told to, or all of it.
contract Loops {
    mapping(uint256 => uint256) public slots;

    function compute(uint256 rounds) external pure returns (uint256 result) {
        result = 1;
        unchecked {
            for (uint256 i = 0; i < rounds; i++) result = result * 6364136223846793005 + (result >> 7) ^ i;
        }
    }

    function hash(uint256 rounds) external pure returns (bytes32 result) {
        for (uint256 i = 0; i < rounds; i++) result = keccak256(abi.encode(result, i));
    }

    function store(uint256 from, uint256 count) external {
        for (uint256 i = from; i < from + count; i++) slots[i] = i + 1;
    }

    function forever() external pure {
        while (true) {}
    }
}
